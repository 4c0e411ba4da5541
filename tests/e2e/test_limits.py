"""
Limits that a program works against: signals ignored, processes stopped, limits met to the byte, memory that no process's
size shows. Each status is the documented one, whoever runs it, and the line names the item that raises it.
"""
import base64
import resource

import pytest

PYTHON = "/usr/bin/python3"
NEVER_ENDS = "import signal, time\nfor n in range(1, 32):\n  try: signal.signal(n, signal.SIG_IGN)\n  except OSError: pass\n"


def python(world, text, ceiling):
    return world.techo("exec", "-c", f"stdout,{ceiling}", "--", PYTHON, "-I", "-c", text)


def last(result, kind):
    return result.kind(kind)[-1]


# ---- programs that do not want to end --------------------------------------------------------------------------------

STUBBORN = {
    "sleeps, every signal ignored": ("wall=500ms", 124, "time.sleep(100)", "wall=1s"),
    "computes, every signal ignored": ("cpu=300ms", 124, "while True: pass", "cpu=600ms"),
    "stops itself": ("wall=500ms", 124, "import os\nos.kill(os.getpid(), signal.SIGSTOP)", "wall=1s"),
    "stops its children and itself": (
        "wall=700ms", 124, "import os\nfor _ in range(5):\n  pid = os.fork()\n  if pid == 0: time.sleep(100)\n"
        "  os.kill(pid, signal.SIGSTOP)\nos.kill(0, signal.SIGSTOP)", "wall=1.4s"),
    "alarms itself without end": ("wall=500ms", 124, "signal.signal(14, lambda *_: None)\n"
                                  "signal.setitimer(0, 0.0001, 0.0001)\nwhile True: time.sleep(1)", "wall=1s"),
    "computes in five threads": (
        "cpu=500ms", 124, "import os\nfor _ in range(4): os.fork()\nwhile True: pass", "cpu=1s"),
    "writes past the disk, SIGXFSZ ignored": ("disk=1M", 123, "open('/tmp/x', 'wb').write(bytes(2 << 20))", "disk=2M"),
    "one file past the disk, SIGXFSZ as it is": (
        "disk=1M", 123, "signal.signal(25, signal.SIG_DFL)\nopen('/tmp/x', 'wb').write(bytes(2 << 20))", "disk=2M"),
}


@pytest.mark.parametrize("how", STUBBORN)
def test_a_stubborn_program_ends_with_the_status_of_its_limit(each_user, how):
    ceiling, status, text, raised = STUBBORN[how]
    result = python(each_user, NEVER_ENDS + text, ceiling)
    assert result.status == status, result.err
    assert f"raise it with {raised}" in result.err


def test_the_same_program_within_its_limits_is_ok(each_user):
    """The control: the signals' handlers, forks and files of the tests above are no reason to end anything."""
    text = NEVER_ENDS + "import os\nopen('/tmp/x', 'wb').write(bytes(2 << 20))\nif os.fork() == 0: os._exit(0)\nprint('done')"
    assert python(each_user, text, "wall=20s").out == "done\n"


def test_the_cells_first_process_cannot_be_ended_or_stopped(each_user):
    text = "import os, signal\nfor n in (9, 15, 19):\n  try: os.kill(1, n)\n  except PermissionError: pass\n" \
           "os.kill(os.getpid(), signal.SIGCONT)\nprint('goes on')"
    result = python(each_user, text, "wall=10s")
    assert (result.status, result.out) == (0, "goes on\n"), result.err


@pytest.mark.parametrize("bomb", ["fork", "threads", "vfork"])
def test_a_bomb_stays_below_its_number(each_user, bomb):
    text = {
        "fork": "import os, time\nn = 1\nwhile True:\n  if os.fork() == 0: time.sleep(100)\n  n += 1",
        "threads": "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=[100], daemon=True).start()",
        "vfork": "import subprocess\nrunning = []\nwhile True: running.append(subprocess.Popen(['/bin/sleep', '100']))",
    }[bomb]
    result = each_user.techo("exec", "--json", "-c", "stdout,processes=20", "--", PYTHON, "-I", "-c", text)
    assert result.status == 123, result.err
    assert last(result, "exit")["status"] == "processes"
    assert "processes=40" in last(result, "exit")["message"]
    assert last(result, "usage")["processes_peak"] <= 20


def test_zombies_count_until_they_are_waited_for(each_user):
    text = "import os, time\ntry:\n  for n in range(100):\n    if os.fork() == 0: os._exit(0)\n    {}\n" \
           "except OSError:\n  time.sleep(0.5)  # where no control group counts, they are sampled\n  raise\nprint('done')"
    assert python(each_user, text.format("os.wait()"), "processes=20").out == "done\n"
    assert python(each_user, text.format("pass"), "processes=20").status == 123


# ---- to the byte -----------------------------------------------------------------------------------------------------


def kept(result, stream):
    """What was kept of a stream, and the most that was said to be dropped."""
    events = [event for event in result.kind("output") if event["stream"] == stream]
    texts = [base64.b64decode(event["bytes"]) if event.get("base64") else event["bytes"].encode() for event in events]
    return b"".join(texts), max([event.get("dropped", 0) for event in events], default=0)


@pytest.mark.parametrize("over", [-1, 0, 1])
def test_output_that_is_kept_to_the_byte(each_user, over):
    result = each_user.run(f"import sys\nsys.stdout.write('x' * (8192 + {over}))", "-c", "stdout,output=8K")
    assert (last(result, "exit")["status"], result.status) == ("ok", 0)
    text, dropped = kept(result, 1)
    assert (len(text), dropped) == (min(8192 + over, 8192), max(over, 0))


@pytest.mark.parametrize("over, status", [(0, "ok"), (1, "output")])
def test_output_that_ends_the_run_to_the_byte(each_user, over, status):
    """Sixteen times what is kept, over both streams together; one byte more ends it. The program waits to be ended."""
    text = f"import os, time\nleft = 16 * 4096 + {over}\nfor fd in (1, 2):\n  part = 30000 if fd == 1 else left\n" \
           f"  while part: n = os.write(fd, b'x' * part); part -= n; left -= n\nif {over}: time.sleep(100)"
    result = each_user.run(text, "-c", "stdout,output=4K", "--inspect=off")
    assert last(result, "exit")["status"] == status
    assert len(kept(result, 1)[0]) == len(kept(result, 2)[0]) == 4096


def test_people_see_the_gap_and_its_size(each_user):
    each_user.write("program.py", "import sys\nsys.stdout.write('a' * 3000 + 'b' * 3000)")
    result = each_user.techo("run", "-c", "stdout,output=2K", "program.py")
    assert result.out == "a" * 1024 + "b" * 1024  # the program's bytes and no others; people's text is on the other stream
    assert "3952 bytes of standard output are dropped here" in result.err
    saved = each_user.sessions()[-1]
    replayed = each_user.techo("replay", saved, "--plain")
    assert "[3952 bytes dropped here]" in replayed.out


def test_disk_is_full_to_the_page_and_counts_files(each_user):
    fits = "open('/tmp/x', 'wb').write(bytes((1 << 20) - 65536))"
    assert python(each_user, fits, "disk=1M").status == 0
    assert python(each_user, fits + "\nwith open('/tmp/y', 'wb') as y: y.write(bytes(65537))", "disk=1M").status == 123
    many = "for n in range(100000): open(f'/tmp/{n}', 'w').close()"
    result = python(each_user, many, "disk=8M")
    assert result.status == 123 and "raise it with disk=16M" in result.err


# ---- memory ----------------------------------------------------------------------------------------------------------

SOCKETS = """
import os, socket
def fill():
    keep = []
    try:
        while True:
            pair = socket.socketpair()
            keep += pair
            for end in pair:
                end.setblocking(False)
                try:
                    while True: end.send(bytes(100000))
                except BlockingIOError: pass
    except OSError: return keep
"""


def test_many_processes_full_of_sockets_are_counted(each_user):
    text = SOCKETS + "import time\nfor n in range(30):\n  if os.fork() == 0: keep = fill(); time.sleep(100)\ntime.sleep(100)"
    result = python(each_user, text, "memory=128M,wall=60s")
    assert result.status == 137, result.err
    assert "raise it with memory=256M" in result.err
    assert python(each_user, SOCKETS + "print(len(fill()) > 100)", "memory=512M").out == "True\n"


def test_tcp_holds_no_more_than_other_sockets(each_user):
    text = """
import socket
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
client.setblocking(False)
sent = 0
try:
    while True: sent += client.send(bytes(100000))
except BlockingIOError: pass
print(sent)
"""
    result = each_user.techo("exec", "--json", "-c", "stdout", "--", PYTHON, "-I", "-c", text)
    sampled = "memory is sampled" in str(last(result, "run")["off"])
    sent = int(kept(result, 1)[0])
    assert sent > 50_000  # the control: it was sent
    assert not sampled or sent < 256 << 10


# ---- what is shown ---------------------------------------------------------------------------------------------------


def test_memory_and_its_peak_are_those_of_a_known_allocation(each_user):
    empty = last(each_user.run("print(1)", "-c", "stdout"), "usage")["memory_peak"]
    result = each_user.run("import time\nx = bytearray(200 << 20)\nfor n in range(0, len(x), 4096): x[n] = 1\ntime.sleep(0.3)\n"
                           "del x\ntime.sleep(0.3)", "-c", "stdout")
    peak = last(result, "usage")["memory_peak"]
    assert 196 << 20 <= peak - empty <= 216 << 20  # the interpreter's own share differs a little
    assert max(event["memory"] for event in result.kind("usage")) >= 200 << 20
    assert last(result, "usage")["memory"] < 100 << 20  # it was given back


def test_processor_time_is_what_the_kernel_counts(each_user):
    text = "import os, resource\nif os.fork() == 0:\n  while sum(os.times()[:2]) < 0.3: pass\n  os._exit(0)\nos.wait()\n" \
           "while sum(os.times()[:2]) < 0.2: pass\n" \
           "print(sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))"
    result = each_user.run(text, "-c", "stdout", "--inspect=off")
    said, shown = float(kept(result, 1)[0]), last(result, "usage")["cpu_us"] / 1e6
    assert 0.5 <= said <= shown <= said + 0.3  # and what the end of the interpreter took


def test_processor_time_of_what_was_killed_is_shown_too(each_user):
    result = each_user.run("while True: pass", "-c", "stdout,cpu=300ms", "--inspect=off")
    assert last(result, "exit")["status"] == "cpu"
    assert 300_000 <= last(result, "usage")["cpu_us"] <= 900_000


def test_processes_disk_and_output_are_counted(each_user):
    text = "import os, time\nfor n in range(4):\n  if os.fork() == 0: time.sleep(100)\n" \
           "open('out/x', 'wb').write(bytes(3 << 20))\nprint('x' * 9)\nos.write(2, b'y' * 5)\ntime.sleep(0.3)"
    usage = last(each_user.run(text, "-c", "stdout", "--inspect=off"), "usage")
    assert usage["processes_peak"] == 5
    assert 3 << 20 <= usage["disk"] <= (3 << 20) + 65536
    assert usage["output"] == 15


def test_wall_is_elapsed_time(world):
    result = world.run("import time\ntime.sleep(0.3)", "-c", "stdout")
    shown = last(result, "exit")["run_us"]
    assert shown >= 300_000
    assert last(result, "usage")["wall_us"] == shown
    assert last(result, "usage")["cpu_us"] < shown or resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
