"""Command lines: help comes from the table, mistakes name the nearest word, --json always ends."""
import json
import os
import subprocess

import pytest

COMMANDS = ["run", "exec", "ask", "bench", "escapes", "why", "check", "replay", "sessions", "doctor", "help", "version"]


def test_help_lists_every_command(world):
    result = world.techo("help")
    assert result.status == 0
    assert result.err == ""
    for command in COMMANDS:
        assert f"\n  {command}" in result.out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_is_the_same_both_ways(world, command):
    by_word, by_option = world.techo("help", command), world.techo(command, "--help")
    assert by_word.status == by_option.status == 0
    assert by_word.out == by_option.out
    assert by_word.out.startswith(f"techo {command} [OPTIONS]")


def test_help_says_only_where_it_holds_that_an_option_takes_several_values(world):
    for command, several in [("run", False), ("ask", False), ("bench", True), ("escapes", True)]:
        [line] = [line for line in world.techo("help", command).out.splitlines() if "--executor" in line]
        assert line.endswith("several with commas") == several


def test_version_both_ways(world):
    assert world.techo("version").out == world.techo("--version").out
    assert world.techo("version").out.startswith("techo 0.")


@pytest.mark.parametrize("words,status,said", [
    (["bnech"], 2, "did you mean bench?"),
    (["zzz"], 2, "see `techo help`"),
    (["help", "rnu"], 2, "did you mean run?"),
    (["run", "--inspekt=off", "x.py"], 125, "did you mean --inspect?"),
    (["run", "--inspect=of", "x.py"], 125, "--inspect is one of block|warn|off, not of"),
    (["run", "-c"], 125, "--ceiling needs a value"),
    (["run"], 125, "usage: techo run FILE|-"),
    (["run", "a.py", "b.py"], 125, "one word too many: b.py"),
    (["run", "-c", "a", "-c", "b", "x.py"], 125, "--ceiling is given twice"),
    (["run", "-x", "python@moon", "notes.txt"], 125, "no such executor or language: python@moon"),
    (["ask"], 2, "usage: techo ask QUESTION"),
    (["bench", "--attempts=0"], 2, "--attempts is a whole number above 0"),
    (["bench", "nocase"], 2, "nocase"),
    (["escapes", "noattack"], 2, "noattack"),
    (["replay", "--speed=-1", "x"], 2, "--speed is a number above 0"),
    (["replay", "nothing"], 2, "nothing"),
    (["sessions", "burn"], 2, "usage: techo sessions"),
    (["why", "-c", "stdout", "file.raed=./x"], 2, "file.read"),
])
def test_a_mistake_gets_one_clear_line_and_its_status(world, words, status, said):
    result = world.techo(*words)
    assert result.status == status, result.err
    assert said in result.err
    assert result.out == ""
    assert result.err.startswith("techo: ")


@pytest.mark.parametrize("words,status", [
    (["run", "--json", "missing.py"], 125),
    (["run", "--json"], 125),
    (["run", "--json", "--inspect=no", "x.py"], 125),
    (["run", "--json", "-c", "stdout,,time", "notes.txt"], 125),
    (["exec", "--json", "-c", "nonsense", "--", "true"], 125),
    (["ask", "--json"], 2),
    (["bench", "--json", "nocase"], 2),
    (["escapes", "--json", "noattack"], 2),
    (["why", "--json", "-c", "stdout,", "stdout"], 2),
    (["check", "--json", "missing.py"], 2),
    (["replay", "--json", "missing.jsonl"], 2),
    (["sessions", "--json", "burn"], 2),
])
def test_json_ends_with_one_end_event_whatever_happened(world, words, status):
    result = world.techo(*words)
    assert result.status == status, result.err
    assert result.end["status"] == "failed"
    assert any(event["kind"] == "error" for event in result.events)


def test_without_a_terminal_the_screen_says_what_to_type(world):
    result = world.techo()
    assert result.status == 2
    assert "techo run FILE" in result.err


def test_a_terminal_that_cannot_place_text_is_one_clear_line(world, screens):
    screen = screens(world, "--case", "analytics", term="dumb")
    assert screen.status() == 2
    said = screen.out.decode()
    assert "TERM=dumb" in said
    assert len(said.splitlines()) == 1
    assert "\x1b" not in said


def test_why_says_granted_by_which_rule(world):
    result = world.techo("why", "-c", "stdout,file.read=./data/*", "file.read=./data/sales.csv")
    assert result.status == 0, result.err
    assert "granted" in result.out
    assert "rule: file.read=./data/*" in result.out


def test_why_not_names_nearest_and_fix(world):
    ceiling = "stdout,file.read=./data/*"
    result = world.techo("why", "-c", ceiling, "file.read=./.env")
    assert result.status == 1, result.err
    assert "not granted" in result.out
    assert "nearest: file.read=./data/*" in result.out
    assert f"fix: -c '{ceiling},file.read=./.env'" in result.out
    assert world.techo("why", "-c", f"{ceiling},file.read=./.env", "file.read=./.env").status == 0


def test_why_says_by_which_ceiling_it_judged_and_where_that_comes_from(world):
    world.write("sales.csv", "a\n1\n")
    given = world.techo("why", "-c", "stdout", "stdout").out.splitlines()
    assert given[:2] == ["ceiling: stdout", "  from: -c"]
    found = world.techo("why", "stdout").out.splitlines()
    assert found[0] == "ceiling: stdout,time,random,file.read=./*.csv"
    assert found[1].startswith("  from: data found in the folder")
    assert "`techo run` has sandbox" in found[1]
    [ceiling] = world.techo("why", "--json", "stdout").kind("ceiling")
    assert (ceiling["source"], ceiling["items"][-1]["text"]) == ("data found in the folder", "file.read=./*.csv")


def test_why_not_under_none_names_an_item_that_can_be_pasted(world):
    assert "fix: -c 'stdout'" in world.techo("why", "-c", "none", "stdout").out


def test_why_as_events(world):
    result = world.techo("why", "--json", "-c", "stdout", "net=api.example.com:443")
    assert result.status == 1
    [row] = result.kind("permission")
    assert (row["name"], row["scope"], row["state"]) == ("net", "api.example.com:443", "denied")
    assert result.end["status"] == "denied"


def test_doctor_tries_every_guarantee(each_user):
    result = each_user.techo("doctor", "--json")
    guarantees = {event["guarantee"] for event in result.kind("probe")}
    assert guarantees >= {"files", "network", "processes", "memory", "cpu", "wall", "output", "disk"}, result.err
    assert result.status == 0
    assert all(event["result"] for event in result.kind("probe"))


def test_output_to_a_closed_pipe_is_no_crash(world):
    world.write("loud.py", "for i in range(20000):\n    print('line', i)\n")
    read, write = os.pipe()
    os.close(read)
    with world.start("run", "loud.py", stdout=write, stderr=subprocess.PIPE) as process:
        os.close(write)
        err = process.communicate(timeout=60)[1]
    assert process.returncode == 0, err
    assert b"line" not in err


@pytest.mark.parametrize("words", [["run", "p.py"], ["run", "--json", "p.py"], ["help"], ["why", "-c", "stdout", "stdout"]])
def test_closed_descriptors_are_no_crash(world, words):
    world.write("p.py", "print(1)\n")
    shell = ["sh", "-c", 'exec "$@" <&- >&-', "sh", *world.command(*words)]
    result = subprocess.run(shell, cwd=world.folder, env=world.environment(), stderr=subprocess.PIPE, timeout=60,
                            check=False)
    assert result.returncode == 0, result.stderr
    for session in world.sessions():  # the log is no descriptor 1 by chance
        assert [json.loads(line) for line in session.read_text().splitlines()][-1]["kind"] == "end"


def test_a_full_standard_output_is_said(world):
    world.write("p.py", "print(1)\n")
    with open("/dev/full", "wb") as full, world.start("run", "p.py", stdout=full) as process:
        err = process.communicate(timeout=60)[1]
    assert process.returncode == 125
    assert b"cannot write to standard output" in err
