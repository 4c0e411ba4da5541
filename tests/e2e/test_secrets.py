"""A key of the user's environment is in no process that a program descends from: their memory is searched for it."""
import os
import pathlib
import subprocess

import pytest

KEY = "sk-planted-7f3e21c9d0"
WAITING = """
print("ready", flush=True)
import signal
signal.pause()
"""

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may read every process's memory")


def memory_holds(pid, needle):
    """Is it anywhere in what the process has mapped and may be read?"""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps, open(f"/proc/{pid}/mem", "rb") as memory:
        for line in maps:
            where, mode = line.split()[:2]
            if not mode.startswith("r") or "[v" in line:
                continue
            start, end = (int(part, 16) for part in where.split("-"))
            try:
                memory.seek(start)
                if needle in memory.read(end - start):
                    return True
            except (OSError, OverflowError):
                continue
    return False


def tree(pid):
    """The process and all below it."""
    found = [pid]
    for each in found:
        for task in pathlib.Path(f"/proc/{each}/task").iterdir():
            found += [int(child) for child in (task / "children").read_text().split()]
    return found


def wait_until_ready(process):
    for line in process.stdout:
        if b"ready" in line and b"output" in line or line == b"ready\n":
            return
    pytest.fail("the program did not start: " + process.stderr.read().decode())


@pytest.fixture
def running(each_user):
    """Starts techo with the key in its environment, and waits for the program to run."""
    started = []

    def start(*words):
        each_user.write("wait.py", WAITING)
        process = each_user.start(*words, env={"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY})
        started.append(process)
        wait_until_ready(process)
        return process
    yield start
    for process in started:
        process.kill()
        process.wait()


def names(pids):
    return {pid: pathlib.Path(f"/proc/{pid}/comm").read_text().strip() for pid in pids}


def test_of_a_run_only_the_application_holds_the_key(running):
    process = running("run", "-c", "stdout,file.read=./data/*,wall=60s", "--inspect=off", "--json", "wait.py")
    application, *others = tree(process.pid)
    assert len(others) >= 4, names(others)  # spawner, supervisor, init, program
    assert memory_holds(application, KEY.encode())  # the search finds it where it is
    assert {pid for pid in others if memory_holds(pid, KEY.encode())} == set(), names(others)


def test_of_a_command_in_place_no_process_of_the_cell_holds_it(running):
    process = running("exec", "-c", "stdout,wall=60s", "--", "/usr/bin/python3", "-c", WAITING)
    supervisor, *cell = tree(process.pid)
    assert len(cell) >= 2, names(cell)  # init, program
    assert {pid for pid in [supervisor, *cell] if memory_holds(pid, KEY.encode())} == set()


def test_what_is_granted_of_the_environment_still_arrives(each_user):
    result = each_user.techo("exec", "-c", "stdout,env=LANGUAGE", "--", "/usr/bin/env",
                             env={"LANGUAGE": "es:en", "OPENAI_API_KEY": KEY})
    assert "LANGUAGE=es:en\n" in result.out
    assert KEY not in result.out


def test_the_search_finds_a_key_in_another_process():
    with subprocess.Popen(["/usr/bin/python3", "-c", WAITING], env={"KEY": KEY}, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        assert memory_holds(process.pid, KEY.encode())
        process.kill()
