"""What programs get: the article's examples, trimming, what is used, and fixes that mend just one denial."""
import shlex

import pytest

from conftest import SECRET

FACTORIAL = "def f(n):\n    return 1 if n < 2 else n * f(n - 1)\nprint(f(10))\n"
DEEP = "def f(n):\n    return n if n == 0 else f(n - 1)\nprint(f(1001))\n"
REMOVE = "import os\nprint('before', flush=True)\nos.remove('/etc/passwd')\n"


def test_factorial_of_ten(each_user):
    each_user.write("p.py", FACTORIAL)
    result = each_user.techo("run", "p.py")
    assert (result.status, result.out) == (0, "3628800\n"), result.err


def test_depth_over_a_thousand_is_a_recursion_error(each_user):
    result = each_user.run(DEEP)
    assert result.status == 1
    assert result.kind("exception")[0]["type"] == "RecursionError"
    assert result.kind("exit")[0]["status"] == "error"


@pytest.mark.parametrize("program", ["ok = 1\nprint(ok\n", "ok = 1\nreturn ok\n"])
def test_a_syntax_error_is_the_programs_own_and_touches_no_file(each_user, program):
    each_user.write("program.py", "another = 'file'\n" * 5)
    result = each_user.run(program, "-c", "stdout")
    [exception] = result.kind("exception")
    assert exception["type"] == "SyntaxError"
    assert exception["frames"][-1] == {"line": 2, "function": "<module>", "text": program.splitlines()[1]}
    assert result.denials() == []
    assert result.kind("exit")[0]["status"] == "error"


def test_removing_a_system_file_is_blocked_before_it_runs(each_user):
    result = each_user.run(REMOVE)
    assert result.status == 126
    assert result.kind("exit")[0]["status"] == "blocked"
    [finding] = [event for event in result.kind("finding") if event.get("blocked")]
    assert finding["span"]["line"] == 3
    assert result.kind("output") == []


def test_removing_a_system_file_is_denied_when_it_runs(each_user):
    each_user.write("p.py", REMOVE)
    shown = each_user.techo("run", "--inspect=off", "p.py")
    assert shown.status == 1
    assert "PermissionError: [Errno 13] Permission denied" in shown.err
    result = each_user.techo("run", "--inspect=off", "--json", "p.py")
    [denial] = result.denials()
    assert denial["resolved"] == "/etc/passwd"
    assert denial["missing"].startswith("file.write=")
    assert denial["layer"]
    assert denial["line"] == 3
    assert result.kind("exit")[0]["status"] == "denied"


TRIMMED = f"""# require file.read("./data/*")
# require net("api.evil.test:443")
# require file.read("./.env")
import csv
total = sum(int(row["net"]) for row in csv.DictReader(open("data/sales.csv")))
try:
    key = open(".env").read()
except OSError:
    key = None
print(total, key)
"""


def test_what_is_above_the_ceiling_is_trimmed_and_the_answer_still_right(each_user):
    each_user.write("p.py", TRIMMED)
    options = ["-c", "stdout,file.read=./data/*"]
    shown = each_user.techo("run", *options, "p.py")
    assert (shown.status, shown.out) == (0, "30 None\n"), shown.err
    assert SECRET not in shown.err
    result = each_user.techo("run", *options, "--json", "p.py")
    states = {(row["name"], row.get("scope")): row for row in result.rows()}
    assert states[("net", "api.evil.test:443")]["state"] == "trimmed"
    assert states[("file.read", "./.env")]["state"] in ("trimmed", "denied")
    assert states[("file.read", "./data/*")]["state"] == "granted"
    [denial] = result.denials()
    assert (denial["resolved"], denial["line"]) == (str(each_user.folder / ".env"), 7)
    assert SECRET not in result.out


OPENS = "for name in {names!r}:\n    try:\n        open(name).read()\n    except OSError as e:\n        print(e)\n"


def used(result):
    rows = {row["id"]: row for row in result.rows()}
    return {rows[event["item"]].get("scope"): event for event in result.kind("used") if event["item"] in rows}


def test_used_counts_by_the_granting_item(each_user):
    names = ["data/sales.csv", "data/sales.csv", "data/more/prices.csv", "notes.txt"]
    result = each_user.run("import json, csv\n" + OPENS.format(names=names), "--inspect=off",
                      "-c", "stdout,file.read=./data/*,file.read=./data/more/*,file.read=./notes.txt")
    assert result.status == 0, result.err
    counted = used(result)
    files = sum(event.get("files", 0) for scope, event in counted.items() if scope)
    opens = sum(event.get("opens", 0) for scope, event in counted.items() if scope)
    assert (files, opens) == (3, 4)  # each access counts for one item; the interpreter's own files for none
    assert counted["./notes.txt"]["files"] == 1
    assert counted["./notes.txt"]["bytes"] == len("only notes\n")


def test_the_least_ceiling_is_what_was_used_and_is_enough(each_user):
    program = OPENS.format(names=["data/sales.csv"]) + "print('done')\n"
    wide = each_user.run(program, "--inspect=off", "-c", "stdout,time,file.read=./data/*,file.read=./notes.txt")
    least = wide.kind("least")[-1]["text"]
    assert "notes.txt" not in least
    again = each_user.run(program, "--inspect=off", "-c", least)
    assert again.status == 0
    assert again.denials() == []


DENIED = ["./.env", "./notes.txt", "./data/more/prices.csv"]


@pytest.mark.parametrize("mended", DENIED)
def test_the_pasted_fix_makes_that_denial_vanish_and_no_other(world, mended):
    ceiling = "stdout,file.read=./data/sales.csv"
    program = OPENS.format(names=[*DENIED, "data/sales.csv"])
    first = world.run(program, "--inspect=off", "-c", ceiling)
    fixes = {denial["resolved"]: denial["missing"] for denial in first.denials()}
    where = {name: str((world.folder / name).resolve()) for name in DENIED}
    assert set(fixes) == set(where.values())
    second = world.run(program, "--inspect=off", "-c", f"{ceiling},{fixes[where[mended]]}")
    assert {denial["resolved"] for denial in second.denials()} == set(where.values()) - {where[mended]}


@pytest.mark.parametrize("name", ["data/sales.csv", "it's; touch pwned"])
def test_a_denial_ends_with_the_option_that_mends_it_safe_to_paste_into_a_shell(world, name):
    world.write(name, "a\n")
    world.write("p.py", f"try:\n    open({name!r})\nexcept OSError as error:\n    print(error)\n")
    result = world.techo("run", "--inspect=off", "p.py")
    [line] = [line for line in result.err.splitlines() if "DENIED" in line]
    option = line.partition("; fix: ")[2]
    words = shlex.split(option)
    assert words == ["-c", f"stdout,time,file.read=./{name}"]
    assert "DENIED" not in world.techo("run", "--inspect=off", *words, "p.py").err


def test_why_tells_of_a_recording_what_was_refused_and_what_would_help(world):
    world.write("p.py", OPENS.format(names=["./.env", "notes.txt"]))
    assert world.techo("run", "--inspect=off", "-c", "stdout,file.read=./data/*", "p.py").status == 0
    [path] = world.sessions()
    told = world.techo("why", path)
    assert told.status == 1
    for words in ("missing: file.read=./.env", "missing: file.read=./notes.txt", "line 3", "stopped by:", "fix:"):
        assert words in told.out
    half = world.techo("why", path, "-c", "stdout,file.read=./notes.txt")
    assert half.status == 1
    assert half.out.count("with that ceiling: granted") == 1
    assert half.out.count("with that ceiling: not granted") == 1
    assert world.techo("why", path, "-c", "stdout,file.read=./notes.txt,file.read=./.env").status == 0
    first = world.techo("why", "--json", path).kind("permission")[0]["cause"]
    assert world.techo("why", f"{path}:{first}").out.count("stopped by:") == 1


@pytest.mark.parametrize("program,options,status,name", [
    ("import sys\nsys.exit(7)\n", [], 7, "error"),
    ("import os\nos.kill(os.getpid(), 11)\n", ["--inspect=off"], 128 + 11, "signal"),
    ("while True: pass\n", ["--inspect=off", "-c", "stdout,wall=300ms"], 124, "wall"),
    ("while True: pass\n", ["--inspect=off", "-c", "stdout,cpu=1s"], 124, "cpu"),
    ("kept = []\nwhile True: kept.append(b'x' * (1 << 20))\n", ["--inspect=off", "-c", "stdout,memory=128M"], 137,
     "memory"),
    ("while True: print('x' * 1000)\n", ["--inspect=off", "-c", "stdout,output=64K"], 123, "output"),
    ("open('out/big', 'wb').write(b'x' * (9 << 20))\n", ["--inspect=off", "-c", "stdout,disk=4M"], 123, "disk"),
])
def test_each_end_has_its_status(each_user, program, options, status, name):
    result = each_user.run(program, *options)
    assert result.kind("exit")[0]["status"] == name, result.err
    assert result.status == status
    assert result.end["status"] == name


@pytest.mark.parametrize("item", ["db=sales", "exec=?"])
def test_what_this_build_does_not_serve_is_refused(world, item):
    result = world.run("print(1)\n", "-c", f"stdout,{item}")
    assert result.status == 126
    assert result.kind("exit")[0]["status"] == "refused"
    assert result.kind("output") == []


def test_a_preamble_counts_and_line_numbers_stay_the_programs(world):
    world.write("pre.py", "# require file.read(\"./data/*\")\nimport csv\n")
    world.write("p.py", "print(len(list(csv.reader(open('data/sales.csv')))))\nopen('notes.txt')\n")
    result = world.techo("run", "--json", "--inspect=off", "--preamble", "pre.py", "-c",
                         "stdout,file.read=./data/*,file.read=./notes.txt", "p.py")
    [denial] = result.denials()
    assert denial["line"] == 2
    assert any(row.get("origin") == "preamble" for row in result.rows())


def test_artifacts_of_out(each_user):
    result = each_user.run("open('out/a.txt', 'w').write('hello')\n", "--inspect=off")
    assert result.status == 0, result.err
    [artifact] = result.kind("artifact")
    assert (artifact["name"], artifact["size"]) == ("a.txt", 5)
    assert not (each_user.folder / "out").exists()
