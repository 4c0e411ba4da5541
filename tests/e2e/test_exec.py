"""`techo exec`: any command in the sandbox, in place, as one would use bwrap."""
import fcntl
import os
import pathlib
import secrets
import signal
import socket
import subprocess
import termios

import pytest

from conftest import SECRET

MODES = ["answer", "observe"]
PYTHON = "/usr/bin/python3"


def run(world, *command, ceiling=None, mode="answer", stdin=None):
    options = ["-c", ceiling] if ceiling else []
    return world.techo("exec", *options, f"--notify={mode}", "--", *command, stdin=stdin)


def python(world, text, **options):
    return run(world, PYTHON, "-I", "-c", text, **options)


# ---- the command itself ----------------------------------------------------------------------------------------------


def test_a_command_runs_and_is_silent_about_it(each_user):
    result = run(each_user, "echo", "hello")
    assert (result.status, result.out, result.err) == (0, "hello\n", "")


def test_a_python_program_runs(each_user):
    result = python(each_user, "print(6 * 7)")
    assert (result.status, result.out, result.err) == (0, "42\n", "")


@pytest.mark.parametrize("code", [0, 1, 7, 123, 124, 255])
def test_the_exit_status_is_the_programs_own(world, code):
    assert run(world, "sh", "-c", f"exit {code}").status == code


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV])
def test_a_signal_is_128_and_its_number(each_user, number):
    assert run(each_user, "sh", "-c", f"kill -{int(number)} $$").status == 128 + number


def test_no_such_command(each_user):
    result = run(each_user, "no-such-command")
    assert result.status == 127
    assert "no-such-command" in result.err


def test_it_starts_in_the_root_under_its_real_path(each_user):
    assert run(each_user, "pwd").out.strip() == str(each_user.folder.resolve())


def test_dash_d_names_the_root(world):
    assert world.techo("exec", "-d", "data", "--", "pwd").out.strip() == str((world.folder / "data").resolve())


def test_the_program_is_no_root_of_the_host(each_user):
    assert python(each_user, "import os; print(os.getuid() != 0, os.geteuid() != 0)").out == "True True\n"


# ---- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words, status, said", [
    ([], 125, "usage"),
    (["--"], 125, "usage"),
    (["-c"], 125, "usage"),
    (["-c", "file.raed=./x", "--", "true"], 125, "file.read"),
    (["-c", "stdout,,time", "--", "true"], 125, "^"),
    (["-d", "nowhere", "--", "true"], 125, "nowhere"),
    (["-c", "file.read=/", "--", "true"], 125, "/"),
    (["-c", "net=example.com:x", "--", "true"], 125, "port"),
    (["-c", "file.write=./*.x", "--", "true"], 125, "file.write"),
    (["-c", "db=example.com", "--", "true"], 126, "db"),
    (["-c", "exec=?", "--", "true"], 126, "?"),
])
def test_bad_input_is_one_clear_error(world, words, status, said):
    result = world.techo("exec", *words)
    assert result.status == status
    assert said in result.err
    assert result.out == ""


# ---- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_a_granted_file_is_read_and_the_one_beside_it_is_not(each_user, mode):
    allowed = run(each_user, "cat", "data/sales.csv", ceiling="stdout,file.read=./data", mode=mode)
    assert (allowed.status, allowed.err) == (0, "")
    assert "Norte" in allowed.out
    denied = run(each_user, "cat", ".env", ceiling="stdout,file.read=./data", mode=mode)
    assert denied.status == 1
    assert SECRET not in denied.out
    assert "denied: read ./.env" in denied.err
    assert "mounts" in denied.err
    assert "file.read=./.env is not granted" in denied.err
    assert ("answered" in denied.err) == (mode == "answer")
    fixed = run(each_user, "cat", ".env", ceiling="stdout,file.read=./data,file.read=./.env", mode=mode)
    assert (fixed.status, fixed.err) == (0, "")
    assert SECRET in fixed.out


@pytest.mark.parametrize("path", [".env", "./data/../.env", "/proc/self/cwd/.env", "data/../././/.env"])
@pytest.mark.parametrize("mode", MODES)
def test_every_spelling_is_the_same_file(each_user, path, mode):
    result = run(each_user, "cat", path, ceiling="stdout,file.read=./data", mode=mode)
    assert SECRET not in result.out
    assert result.err.count("denied: read ./.env") == 1


def test_a_symlink_that_leads_out_is_named_by_what_it_leads_to(each_user):
    (each_user.folder / "data" / "way.csv").symlink_to("../.env")
    result = run(each_user, "cat", "data/way.csv", ceiling="stdout,file.read=./data")
    assert result.status == 1
    assert SECRET not in result.out
    assert "denied: read ./.env" in result.err


def test_what_is_told_never_depends_on_the_host(each_user):
    text = """
for path in ("/etc/shadow", "/etc/no-such-file", "/root/.bashrc", "/no/such/folder/x", ".env", "nothing"):
    try:
        open(path)
    except OSError as error:
        print(error.errno)
"""
    assert python(each_user, text).out == "13\n" * 6


def test_a_gap_in_what_is_granted_is_no_denial(each_user):
    result = run(each_user, "cat", "data/none.csv", ceiling="stdout,file.read=./data")
    assert "No such file or directory" in result.err
    assert "denied" not in result.err


CHANGES = {
    "write": "open('data/sales.csv', 'w')",
    "append": "open('data/sales.csv', 'a')",
    "create": "open('new', 'x')",
    "truncate": "os.truncate('data/sales.csv', 0)",
    "unlink": "os.remove('data/sales.csv')",
    "rename": "os.rename('data/sales.csv', 'out/x')",
    "replace": "(open('out/y', 'w').close(), os.replace('out/y', 'data/sales.csv'))",
    "mkdir": "os.mkdir('made')",
    "rmdir": "os.rmdir('data/more')",
    "symlink": "os.symlink('x', 'made')",
    "chmod": "os.chmod('data/sales.csv', 0o777)",
    "utime": "os.utime('data/sales.csv')",
    "xattr": "os.setxattr('data/sales.csv', 'user.x', b'y')",
    "passwd": "os.remove('/etc/passwd')",
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("mode", MODES)
def test_read_only_parts_cannot_be_changed(each_user, change, mode):
    before = (each_user.folder / "data/sales.csv").stat()
    result = python(each_user, f"import os\n{CHANGES[change]}", ceiling="stdout,file.read=./data", mode=mode)
    after = (each_user.folder / "data/sales.csv").stat()
    assert result.status == 1
    assert result.err.count("techo: denied: ") == 1, result.err
    assert "mounts" in result.err
    assert "file.write=" in result.err
    errors = {"rename": "Invalid cross-device link", "replace": "Invalid cross-device link"}
    expected = "[Errno 13] Permission denied" if mode == "answer" else errors.get(change, "Read-only file system")
    assert expected in result.err
    assert (before.st_size, before.st_mode, before.st_mtime_ns) == (after.st_size, after.st_mode, after.st_mtime_ns)
    assert not (each_user.folder / "made").exists()


def test_out_and_tmp_are_private_and_writable(each_user):
    name = f"/tmp/techo-{secrets.token_hex(8)}"
    text = f"open('out/x', 'w').write('y'); open('{name}', 'w').write('y'); print(open('out/x').read())"
    result = python(each_user, text)
    assert (result.status, result.out, result.err) == (0, "y\n", "")
    assert not (each_user.folder / "out").exists()
    assert not pathlib.Path(name).exists()


# ---- network ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_a_refused_connection_names_host_and_port(each_user, mode):
    text = "import urllib.request; urllib.request.urlopen('http://api.evil.test:8080/')"
    result = python(each_user, text, mode=mode)
    assert result.status == 1
    assert "denied: connect api.evil.test:8080" in result.err
    assert "namespaces" in result.err
    assert ("Permission denied" if mode == "answer" else "Connection refused") in result.err


@pytest.mark.parametrize("mode", MODES)
def test_servers_of_the_host_are_out_of_reach(each_user, mode):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        port = server.getsockname()[1]
        result = python(each_user, f"import socket; socket.create_connection(('127.0.0.1', {port}))", mode=mode)
        assert result.status == 1
        assert "ConnectionRefusedError" in result.err
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("address", ["169.254.169.254", "1.2.3.4"])
def test_addresses_are_refused(each_user, address, mode):
    result = python(each_user, f"import socket; socket.create_connection(('{address}', 80))", mode=mode)
    assert result.status == 1
    assert f"denied: connect {address}:80" in result.err


@pytest.mark.parametrize("mode", MODES)
def test_a_server_inside_is_reached(each_user, mode):
    text = """
import socket
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
client.sendall(b"hello")
print(server.accept()[0].recv(5))
"""
    result = python(each_user, text, mode=mode)
    assert (result.status, result.out, result.err) == (0, "b'hello'\n", "")


def test_datagrams_with_an_address_are_refused(each_user):
    text = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('9.9.9.9', 53))"
    result = python(each_user, text)
    assert "denied: send 9.9.9.9:53" in result.err


@pytest.mark.parametrize("flags", ["0", "socket.AI_ADDRCONFIG"])
def test_every_name_resolves_to_a_handle(each_user, flags):
    text = f"""
import socket
for family in (0, socket.AF_INET):
    print(socket.getaddrinfo("a.example", 80, family, socket.SOCK_STREAM, 0, {flags})[0][4][0])
"""
    result = python(each_user, text)
    assert (result.status, result.out) == (0, "127.1.0.1\n" * 2), result.err


# ---- processes and limits --------------------------------------------------------------------------------------------


def lives(marker):
    """Is there a process whose command line holds the marker?"""
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if marker.encode() in entry.read_bytes():
                return True
        except OSError:
            continue
    return False


BACKGROUND = """
import os, signal, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in range(1, 32):
            try: signal.signal(number, signal.SIG_IGN)
            except OSError: pass
        print("up", flush=True)
        time.sleep(1000)
    os._exit(0)
os.wait()
"""


def test_background_processes_are_gone_at_the_end(each_user, tmp_path):
    marker = f"marker-{os.getpid()}-{tmp_path.name}"
    result = run(each_user, PYTHON, "-I", "-c", BACKGROUND, marker)
    assert result.status == 0
    assert not lives(marker)


def test_wall_kills_the_whole_tree(each_user, tmp_path):
    marker = f"marker-{os.getpid()}-{tmp_path.name}"
    result = run(each_user, PYTHON, "-I", "-c", BACKGROUND + "time.sleep(1000)", marker, ceiling="stdout,wall=700ms")
    assert result.status == 124
    assert result.out == "up\n"
    assert "wall: 700ms are over; raise it with wall=1.4s" in result.err
    assert not lives(marker)


LIMITS = {
    "cpu": ("cpu=300ms", 124, "while True: pass", "raise it with cpu=600ms"),
    "cpu over processes": ("cpu=400ms", 124, "import os; os.fork(); os.fork()\nwhile True: pass", "cpu=800ms"),
    "memory": ("memory=128M", 137, "x = [bytearray(1 << 20) for _ in range(1000)]", "raise it with memory=256M"),
    "disk": ("disk=1M", 123, "open('/tmp/x', 'wb').write(bytes(4 << 20))", "raise it with disk=2M"),
    "disk by many": ("disk=1M", 123, "for n in range(99): open(f'/tmp/{n}', 'wb').write(bytes(1 << 16))", "disk=2M"),
    "processes": ("processes=12", 123, "import os, time\nfor _ in range(50):\n  if os.fork() == 0: time.sleep(9)",
                  "raise it with processes=24"),
}


@pytest.mark.parametrize("limit", LIMITS)
def test_a_limit_has_its_status_and_names_what_raises_it(each_user, limit):
    ceiling, status, text, said = LIMITS[limit]
    result = python(each_user, text, ceiling=f"stdout,{ceiling}")
    assert result.status == status, result.err
    assert said in result.err


def test_a_limit_that_the_program_lives_with_is_no_failure(each_user):
    text = "try:\n  open('/tmp/x', 'wb').write(bytes(900 << 10)); open('/tmp/y', 'wb').write(bytes(900 << 10))\n" \
           "except OSError: print('full')"
    result = python(each_user, text, ceiling="stdout,disk=1M")
    assert (result.status, result.out, result.err) == (0, "full\n", "")


def test_ctrl_c_cancels(each_user):
    with each_user.start("exec", "--", PYTHON, "-I", "-c", BACKGROUND + "time.sleep(1000)") as process:
        assert process.stdout.readline() == b"up\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"cancelled" in err


def test_when_techo_is_killed_nothing_of_the_run_survives(each_user, tmp_path):
    marker = f"marker-{os.getpid()}-{tmp_path.name}"
    with each_user.start("exec", "--", PYTHON, "-I", "-c", BACKGROUND + "time.sleep(1000)", marker) as process:
        assert process.stdout.readline() == b"up\n"
        process.kill()
        process.stdout.read()  # its end: every process that could write is gone
    assert not lives(marker)


# ---- the caller's streams and secrets --------------------------------------------------------------------------------


def test_stdin_needs_its_permission(each_user):
    assert run(each_user, "cat", ceiling="stdout,stdin", stdin=b"given").out == "given"
    assert run(each_user, "cat", ceiling="stdout", stdin=b"given").out == ""


def test_stdout_needs_its_permission(each_user):
    result = run(each_user, "sh", "-c", "echo out; echo err >&2", ceiling="time")
    assert (result.status, result.out, result.err) == (0, "", "err\n")


@pytest.mark.parametrize("words", [">&-", ">/dev/full", "<&-", "2>&-"])
def test_closed_and_full_streams_end_with_a_status(world, words):
    command = f'"$0" exec -- sh -c "echo hello" {words}'
    result = subprocess.run(["sh", "-c", command, world.command()[-1]], cwd=world.folder, capture_output=True,
                            timeout=60, check=False)
    assert result.returncode == (0 if words in ("<&-", "2>&-") else 1), result.stderr


def test_nothing_is_inherited(each_user):
    text = "import os; print(sorted(os.environ)); print([fd for fd in range(3, 256) if os.path.exists(f'/proc/self/fd/{fd}')])"
    key = {"OPENAI_API_KEY": SECRET, "LD_PRELOAD": "", "PYTHONSTARTUP": "/x"}
    with each_user.start("exec", "--", PYTHON, "-c", text, env=key, pass_fds=[0]) as process:
        out, _ = process.communicate(timeout=60)
    assert SECRET.encode() not in out
    assert b"API_KEY" not in out and b"PYTHONSTARTUP" not in out
    assert b"[]" in out


def test_a_denial_cannot_command_the_terminal(world):
    result = python(world, "open('/x\\x1b]0;owned\\x07\\n\\u202ey')")
    line = next(line for line in result.stderr.splitlines() if line.startswith(b"techo: "))
    assert b"\\x1b]0;owned\\x07\\x0a" in line
    assert all(0x20 <= byte < 0x7f for byte in line)


def test_a_file_of_the_callers_may_grow_beyond_the_disk_limit(each_user):
    target = each_user.write("target", "")
    with open(target, "wb") as out:
        process = each_user.start("exec", "-c", "stdout,disk=1M", "--", "head", "-c", "3M", "/dev/urandom", stdout=out)
        assert process.wait() == 0, process.stderr.read()
    assert target.stat().st_size == 3 << 20
    own = each_user.techo("exec", "-c", "stdout,disk=1M", "--", "sh", "-c", "head -c 3M /dev/urandom > /tmp/own")
    assert (own.status, "disk=2M" in own.err) == (123, True)


@pytest.mark.parametrize("scope", ["/proc", "/proc/*", "/proc/self/status", "/proc/../proc/1/environ"])
def test_proc_is_never_granted(each_user, scope):
    result = each_user.techo("exec", "-c", f"stdout,file.read={scope}", "--", "true")
    assert result.status in (125, 126)
    assert "keys" in result.err or "symbolic link" in result.err or "ermission denied" in result.err


def test_ctrl_c_while_the_cell_is_made_is_a_cancelled_run(each_user):
    """The terminal's signal reaches the cell's processes too; that is no failure of the sandbox."""
    for _ in range(10):
        process = each_user.start("exec", "--", "sleep", "1000", start_new_session=True)
        children = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while not children.read_text():
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        said = process.communicate()[1]
        assert (process.returncode, said) == (130, b"techo: cancelled\n")


def test_a_terminal_for_output_is_no_keyboard(each_user):
    """Descriptors 1 and 2 are one thing with the keyboard; without stdin the command reads nothing from them."""
    script = """
import os, termios
for number in 0, 1, 2:
    try: print(number, os.read(number, 99))
    except OSError as error: print(number, error.strerror)
mode = termios.tcgetattr(1) if os.isatty(1) else None
if mode:
    mode[3] &= ~termios.ECHO & ~termios.ICANON
    termios.tcsetattr(1, termios.TCSANOW, mode)
"""
    ours, theirs = os.openpty()
    os.write(ours, b"typed ahead\n")
    process = each_user.start("exec", "--", PYTHON, "-c", script, stdin=theirs, stdout=theirs, stderr=theirs,
                              start_new_session=True)
    assert process.wait() == 0
    said = os.read(ours, 4096)
    assert b"0 b''" in said and said.count(b"Bad file descriptor") == 2, said
    assert os.read(theirs, 99) == b"typed ahead\n"
    os.close(ours)
    os.close(theirs)


def test_the_terminal_is_set_as_before_when_the_command_is_through(world):
    ours, theirs = os.openpty()
    before = termios.tcgetattr(theirs)
    take = lambda: fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
    changed = world.start("exec", "-c", "stdout,stdin", "--", "stty", "raw", "-echo", stdin=theirs, stdout=theirs,
                          stderr=theirs, start_new_session=True, preexec_fn=take)
    assert changed.wait() == 0
    assert termios.tcgetattr(theirs) == before
    os.close(ours)
    os.close(theirs)
