"""Runs by the spawner and its supervisors, as `techo run` reports them."""
import base64
import os
import pathlib
import select
import signal

import pytest


def output(result, stream="stdout"):
    """What was passed on of a stream, and how much was dropped."""
    kept, dropped = b"", 0
    for event in result.kind("output"):
        if event["stream"] in (stream, 1 if stream == "stdout" else 2):
            text = event["bytes"]
            kept += base64.b64decode(text) if event.get("base64") else text.encode()
            dropped = max(dropped, event.get("dropped", 0))
    return kept, dropped


def exit_of(result):
    return result.kind("exit")[-1]


def test_head_and_tail_of_output_are_kept(each_user):
    result = each_user.run("for n in range(2000): print(f'{n:07}')", "-c", "stdout,output=4K")
    kept, dropped = output(result)
    assert exit_of(result)["status"] == "ok"
    assert (len(kept), dropped) == (4096, 2000 * 8 - 4096)
    assert kept.startswith(b"0000000\n") and kept.endswith(b"0001999\n")


def test_endless_output_is_ended(each_user):
    result = each_user.run("while True: print('x' * 1000)", "-c", "stdout,output=4K", "--inspect=off")
    end = exit_of(result)
    assert (end["status"], result.status) == ("output", 123)
    assert "output=8K" in end["message"]


def test_what_lies_in_out_becomes_artifacts(each_user):
    result = each_user.run("""
import os
os.makedirs("out/a")
open("out/a/table.csv", "w").write("x,y")
open("out/big", "wb").write(bytes(17 << 20))
os.mkfifo("out/fifo")
os.symlink("/etc/passwd", "out/link")
""", "--inspect=off")
    artifacts = {event["name"]: event for event in result.kind("artifact")}
    assert sorted(artifacts) == ["a/table.csv", "big", "fifo", "link"]
    assert (artifacts["a/table.csv"]["size"], artifacts["a/table.csv"]["bytes"]) == (3, "x,y")
    assert "16 MiB" in artifacts["big"]["problem"]
    assert artifacts["fifo"]["problem"] == "not a regular file"
    assert artifacts["link"]["problem"] == "a symlink"
    assert not (each_user.folder / "out").exists()


def test_accesses_carry_the_programs_line(each_user):
    result = each_user.run("try:\n    open('.env')\nexcept OSError:\n    pass\n", "-c", "stdout", "--inspect=off")
    (denial,) = result.denials()
    assert denial["resolved"].endswith("/.env")
    assert denial["line"] == 2
    assert (exit_of(result)["status"], result.status) == ("ok", 0)


@pytest.mark.parametrize("mode", ["answer", "observe"])
def test_denied_is_a_failure_that_reports_the_refusal(each_user, mode):
    denied = each_user.run("open('.env')", "-c", "stdout", "--inspect=off", f"--notify={mode}")
    assert exit_of(denied)["status"] == "denied"
    other = each_user.run("try: open('.env')\nexcept OSError: pass\nraise ValueError(3)", "-c", "stdout",
                          "--inspect=off", f"--notify={mode}")
    assert exit_of(other)["status"] == "error"


def processes_called(name):
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "comm").read_text().strip() == name:
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def test_when_the_application_is_killed_nothing_survives(each_user):
    marker = f"m-{os.getpid()}"
    program = f"""
import ctypes, os, time
if os.fork() == 0:
    os.setsid()
    ctypes.CDLL(None).prctl(15, b"{marker}", 0, 0, 0)  # its name
    print("up", flush=True)
time.sleep(1000)
"""
    each_user.write("program.py", program)
    with each_user.start("run", "--inspect=off", "--json", "program.py") as process:
        for line in process.stdout:
            if b'"kind":"output"' in line:
                break
        assert processes_called(marker)
        process.send_signal(signal.SIGKILL)
        process.wait()
    # the run's supervisor sees its socket close; what holds the marker dies with the cell
    for _ in range(1000):
        alive = processes_called(marker)
        if not alive:
            break
        for number in alive:
            try:
                pidfd = os.pidfd_open(number)
            except ProcessLookupError:
                continue
            select.select([pidfd], [], [], 30)
            os.close(pidfd)
    assert not processes_called(marker)


def descendants(pid):
    children = {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            children.setdefault(int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1]), []).append(int(entry.name))
        except OSError:
            continue
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found[1:]


def groups_of(pid):
    """Control groups that the process has made; their names say so."""
    return list(pathlib.Path("/sys/fs/cgroup").rglob(f"techo-{pid}-*"))


def test_when_the_supervisor_is_killed_the_run_ends_and_its_groups_go(each_user):
    each_user.write("program.py", "import time\nprint('up', flush=True)\ntime.sleep(1000)\n")
    with each_user.start("run", "--inspect=off", "--json", "-c", "stdout,wall=1h", "program.py") as process:
        for line in process.stdout:
            if b'"kind":"output"' in line:
                break
        spawner, supervisor, init, *_ = descendants(process.pid)
        cell, sweeper = os.pidfd_open(init), os.pidfd_open(spawner)
        os.kill(supervisor, signal.SIGKILL)
        events = process.stdout.read().splitlines()
        process.wait()
        select.select([cell], [], [], 30)
        assert select.select([cell], [], [], 0)[0]
    assert process.returncode == 125
    assert b'"kind":"end","status":"setup"' in events[-1]
    assert select.select([sweeper], [], [], 30)[0]  # the spawner's last act
    assert not groups_of(supervisor)


def test_a_run_that_is_ended_gets_no_answers_that_nobody_gave(each_user):
    """A call that waits for its verdict when the limit comes is not told that the system lacks it."""
    result = each_user.run("""
while True:
    try:
        open("data/sales.csv").close()
    except OSError as error:
        print(error, flush=True)
""", "-c", "stdout,file.read=./data/*,wall=300ms", "--inspect=off")
    assert exit_of(result)["status"] == "wall"
    assert output(result)[0] == b""


def test_accesses_beyond_what_is_listed_are_counted(each_user):
    program = """
def attempt(path):
    try:
        open(path)
    except OSError:
        pass
for i in range(1200): attempt(f"data/{i}")
for i in range(300): attempt(f"/secret/{i}")
attempt("/last")
"""
    result = each_user.run(program, "-c", "stdout,file.read=./data/*", "--inspect=off")
    end = exit_of(result)
    assert len(result.denials()) == 250 and result.denials()[-1]["resolved"] == "/secret/249"
    assert (end["unlisted"], end["unlisted_denied"]) == (1200 - 750 + 51, 51)
    assert "501 more accesses are not listed, 51 of them denied" in each_user.techo(
        "run", "-c", "stdout,file.read=./data/*", "--inspect=off", "program.py").err
    assert "denials: 301" in each_user.techo("sessions", "show", each_user.sessions()[-1]).out
