"""Bad input: a clear line, the documented status, nothing lost, never a crash."""
import json
import os
import signal
import subprocess

import pytest


@pytest.mark.parametrize("ceiling,said", [
    ("stdout,,time", "empty"),
    ("stdout,file.raed=./data", "file.read"),
    ("wall=0", "wall"),
    ("memory=12", "memory"),
    ("stdout,file.read=\"./data", "quote"),
])
def test_a_policy_error_shows_the_place_under_a_caret(world, ceiling, said):
    world.write("p.py", "print(1)\n")
    result = world.techo("run", "-c", ceiling, "p.py")
    assert result.status == 125
    message, text, caret = result.err.splitlines()
    assert said in message
    assert text.strip() == ceiling
    assert caret.strip() == "^"
    assert world.sessions() == []


@pytest.mark.parametrize("content,said", [
    (b"", "is empty"),
    (b"print(1)\nprint('\xff')\n", "not UTF-8: byte 0xff in line 2"),
    (b"print(1)\n\n\x00\n", "NUL byte in line 3"),
    (b"#" * (50 << 20), "too big"),
])
@pytest.mark.parametrize("command,status", [("run", 125), ("check", 2)])
def test_what_is_no_program_is_refused(world, content, said, command, status):
    world.write("p.py", content)
    result = world.techo(command, "p.py")
    assert result.status == status
    assert said in result.err
    assert len(result.err.splitlines()) == 1


@pytest.mark.parametrize("content,said", [(b"", "is empty"), (b"\xff\xfe", "is not UTF-8")])
def test_a_program_from_standard_input_is_checked_alike(world, content, said):
    result = world.techo("run", "-", stdin=content)
    assert result.status == 125
    assert f"standard input {said}" in result.err


def test_a_program_from_standard_input_runs(world):
    result = world.techo("run", "-", stdin=b"print(6 * 7)\n")
    assert (result.status, result.out) == (0, "42\n"), result.err


def test_an_unreadable_program_is_said(world):
    (world.folder / "a-folder.py").mkdir()
    for name in ("missing.py", "a-folder.py"):
        result = world.techo("run", name)
        assert result.status == 125
        assert name in result.err


def test_a_missing_interpreter_is_said(world):
    world.write("p.py", "print(1)\n")
    result = world.techo("run", "--inspect=off", "p.py", env={"TECHO_PYTHON": "/nonexistent"})
    assert result.status == 125
    assert "/nonexistent" in result.err
    checked = world.techo("run", "p.py", env={"TECHO_PYTHON": "/nonexistent"})
    assert checked.status == 125
    assert "/nonexistent" in checked.err


def test_missing_data_is_the_programs_own_error(world):
    result = world.run("open('data/nothing.csv')\n", "-c", "stdout,file.read=./data/*", "--inspect=off")
    assert result.status == 1
    [exception] = result.kind("exception")
    assert exception["type"] == "FileNotFoundError"
    assert result.denials() == []


def test_unreadable_data_is_the_programs_own_error(each_user):
    (each_user.folder / "data" / "sales.csv").chmod(0)
    result = each_user.run("open('data/sales.csv')\n", "-c", "stdout,file.read=./data/*", "--inspect=off")
    assert result.kind("exception")[0]["type"] == "PermissionError"
    assert result.status == 1


# ---- sessions ---------------------------------------------------------------------------------------------------------


def recorded(world):
    world.write("p.py", "print('hello')\n")
    assert world.techo("run", "p.py").status == 0
    [path] = world.sessions()
    return path


def test_a_torn_last_line_is_tolerated_and_said(world):
    path = recorded(world)
    whole = path.read_bytes()
    path.write_bytes(whole[:-9])
    result = world.techo("replay", path)
    assert result.status == 0
    assert "torn" in result.err
    assert "hello" in result.out
    again = world.techo("replay", "--json", path)
    assert len(again.events) == len(whole.splitlines())


@pytest.mark.parametrize("content,said", [
    (b"", ""),
    (b"garbage\n", ""),
    (b"\x00\xff\x00\xff\n" * 1000, ""),
    (b'{"seq":1,"t":0,"kind":"note","text":"no header"}\n', ""),
    (b'{"seq":1,"t":0,"kind":"session","format":"techo-session","version":99,"id":"x","start":"x"}\n', "99"),
])
@pytest.mark.parametrize("words", [["replay"], ["why"], ["sessions", "show"]])
def test_garbage_and_newer_versions_are_refused_in_one_line(world, words, content, said):
    path = world.write("bad.jsonl", content)
    result = world.techo(*words, path)
    assert result.status == 2
    assert result.out == ""
    assert len(result.err.splitlines()) == 1
    assert said in result.err


def test_the_list_says_which_command_a_session_records_and_which_file_holds_it(world):
    path = recorded(world)
    listed = world.techo("sessions")
    assert path.name in listed.out
    assert "    run p.py\n" in listed.out
    [header] = world.techo("sessions", "list", "--json").kind("session")
    assert header["title"] == "run p.py"
    assert header["file"] == path.name
    assert header["file"] == header["id"] + ".jsonl"


def test_garbage_in_the_middle_is_refused(world):
    path = recorded(world)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], b"{]\n", *lines[3:]]))
    result = world.techo("replay", path)
    assert result.status == 2
    assert "4" in result.err


def test_escape_sequences_never_reach_a_line(world):
    world.write("p.py", "print('\\x1b]0;owned\\x07', end='')\n")
    assert world.techo("run", "p.py").stdout == b"\x1b]0;owned\x07"  # a pipe gets the program's own bytes
    [path] = world.sessions()
    shown = world.techo("replay", path)
    assert b"\x1b" not in shown.stdout
    assert b"owned" in shown.stdout


# ---- a full disk ------------------------------------------------------------------------------------------------------

LOUD = "for i in range(4000):\n    print('x' * 60, i)\nprint('the end')\n"


def with_tiny_state(world, *words):
    """techo with a state folder of 64 kB; the sessions are copied out afterwards."""
    prefix = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    script = 'mount -t tmpfs -o size=64k tiny "$XDG_STATE_HOME" || exit 77; "$@"; s=$?; ' \
             'cp -r "$XDG_STATE_HOME/techo" "$HOME/kept"; exit $s'
    result = subprocess.run([*prefix, "sh", "-c", script, "sh", *world.command(*words)], cwd=world.folder,
                            env=world.environment(), capture_output=True, timeout=120, check=False)
    if result.returncode == 77 or b"unshare" in result.stderr:
        pytest.skip("no mounts here")
    return result


def test_a_full_disk_costs_the_log_and_not_the_result(world):
    world.write("loud.py", LOUD)
    result = with_tiny_state(world, "run", "loud.py")
    assert result.returncode == 0, result.stderr
    assert result.stdout.endswith(b"the end\n")
    assert len(result.stdout.splitlines()) == 4001
    assert b"No space left" in result.stderr
    [path] = (world.home / "kept" / "sessions").glob("*.jsonl")
    shown = world.techo("replay", path)
    assert shown.status == 0, shown.err


def test_a_state_folder_that_cannot_be_made_costs_the_log_alone(world):
    world.write("p.py", "print(1)\n")
    result = world.techo("run", "p.py", env={"XDG_STATE_HOME": "/proc/nothing"})
    assert (result.status, result.out) == (0, "1\n")
    assert "not saved" in result.err


# ---- Ctrl-C -----------------------------------------------------------------------------------------------------------

ENDLESS = "print('ready', flush=True)\nwhile True:\n    pass\n"


def test_ctrl_c_cancels_and_the_log_is_complete(each_user):
    each_user.write("endless.py", ENDLESS)
    with each_user.start("run", "endless.py") as process:
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    [path] = each_user.sessions()
    events = [json.loads(line) for line in path.read_text().splitlines()]
    assert [event["status"] for event in events if event["kind"] == "exit"] == ["cancelled"]
    assert (events[-1]["kind"], events[-1]["status"]) == ("end", "cancelled")


def test_ctrl_c_in_json_still_ends(world):
    world.write("endless.py", ENDLESS)
    with world.start("run", "--json", "endless.py") as process:
        lines = []
        while b'"ready' not in (line := process.stdout.readline()):
            assert line, process.stderr.read()
            lines.append(line)
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
    events = [json.loads(line) for line in rest.splitlines()]
    assert process.returncode == 130
    assert (events[-1]["kind"], events[-1]["status"]) == ("end", "cancelled")
