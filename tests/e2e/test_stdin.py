"""Standard input: handed over where `stdin` is granted, through a pipe, and empty elsewhere."""
import os
import pty
import subprocess

import pytest

PYTHON = "/usr/bin/python3"
COUNT = "import sys\nprint(len(sys.stdin.buffer.read()))"
BIG = b"line\n" * 1_000_000


def run(world, text, *words, stdin):
    world.write("program.py", text)
    return world.techo("run", *words, "program.py", stdin=stdin)


@pytest.mark.parametrize("data", [b"", b"given\n", BIG], ids=["none", "little", "more than a pipe"])
def test_a_program_reads_all_of_it(each_user, data):
    result = run(each_user, COUNT, "-c", "stdout,stdin", stdin=data)
    assert (result.status, result.out, result.err) == (0, f"{len(data)}\n", "")


def test_without_the_permission_it_is_empty(each_user):
    assert run(each_user, COUNT, "-c", "stdout", stdin=b"given\n").out == "0\n"
    declared = "# require stdout\n" + COUNT
    assert run(each_user, declared, "-c", "stdout,stdin", stdin=b"given\n").out == "0\n"


def test_a_command_reads_it_in_place_and_through_the_engine(each_user):
    words = ["-c", "stdout,stdin", "--", "cat"]
    assert each_user.techo("exec", *words, stdin=BIG).stdout == BIG
    assert "given" in "".join(event["bytes"] for event in
                              each_user.techo("exec", "--json", *words, stdin=b"given\n").kind("output"))


def test_a_program_from_standard_input_has_none_and_a_line_says_so(world):
    result = world.techo("run", "-c", "stdout,stdin", "-", stdin=COUNT.encode())
    assert (result.status, result.out) == (0, "0\n")
    assert "the program came from standard input; its own standard input is empty" in result.err
    assert world.techo("run", "-c", "stdout", "-", stdin=COUNT.encode()).err == ""


def test_a_program_that_reads_nothing_of_an_endless_input_ends(each_user):
    for text, out in (("print(1)", "1\n"), ("print(input())", "y\n")):
        each_user.write("program.py", text)
        with subprocess.Popen(["yes"], stdout=subprocess.PIPE) as endless:
            with each_user.start("run", "-c", "stdout,stdin", "program.py", stdin=endless.stdout) as techo:
                endless.stdout.close()  # of ours: when techo ends, nobody is left to write to
                assert techo.communicate(timeout=60)[0].decode() == out
        assert techo.returncode == 0


def test_waiting_for_an_input_that_never_comes_ends_by_wall(each_user):
    read, write = os.pipe()
    each_user.write("program.py", "print(input())")
    with each_user.start("run", "-c", "stdout,stdin,wall=300ms", "program.py", stdin=read) as techo:
        _, err = techo.communicate(timeout=60)
    os.close(read)
    os.close(write)
    assert techo.returncode == 124
    assert b"wall=600ms" in err


@pytest.mark.parametrize("command", ["run", "exec"])
def test_the_callers_file_itself_is_out_of_reach(each_user, command):
    data = each_user.write("input.txt", "given\n")
    before = data.stat()
    text = """
import os
for change in (lambda: os.fchmod(0, 0o777), lambda: os.utime(0, (1, 1)), lambda: os.fchown(0, -1, os.getgid()),
               lambda: os.setxattr(0, "user.x", b"y"), lambda: os.truncate("/proc/self/fd/0", 0)):
    try:
        change()
    except OSError:
        pass
print(os.read(0, 100).decode(), end="")
"""
    each_user.write("program.py", text)
    words = ["program.py"] if command == "run" else ["--", PYTHON, "-I", "-c", text]
    options = ["--inspect=off"] if command == "run" else []
    with data.open() as stdin, each_user.start(command, "-c", "stdout,stdin", *options, *words, stdin=stdin) as techo:
        assert techo.communicate(timeout=60)[0] == b"given\n"  # the control: it is read
    after = data.stat()
    assert (before.st_mode, before.st_mtime_ns, before.st_size, before.st_ctime_ns) == \
        (after.st_mode, after.st_mtime_ns, after.st_size, after.st_ctime_ns)


def test_a_terminal_is_read_but_not_written_to(world):
    master, slave = pty.openpty()
    world.write("program.py", "import os\nprint(input(), os.isatty(0))\ntry:\n  os.write(0, b'\\x1b]0;owned\\x07')\n"
                              "except OSError as error:\n  print(error.errno)")
    with world.start("run", "-c", "stdout,stdin", "program.py", stdin=slave) as techo:
        os.write(master, b"typed\n")
        assert techo.communicate(timeout=60)[0] == b"typed False\n9\n"
    os.close(slave)
    os.close(master)
