"""From a question or program to its events: attempts, requires, preamble, grant, use, least ceiling, cancel."""
import json
import shutil
import signal

import pytest

from conftest import SECRET, TECHO

CASE_CEILING = "stdout,time,file.read=./data/*"


def question(seq, ident, attempts):
    """A recorded question: the answers of its attempts, as a model would give them."""
    yield {"seq": seq, "t": 0, "kind": "question", "id": ident, "text": "recorded", "language": "python"}
    for number, (finish, text) in enumerate(attempts, 1):
        seq += 1
        yield {"seq": seq, "t": number, "kind": "delta", "question": seq - 2 * number + 1, "attempt": number,
               "channel": "prose", "text": text}
        seq += 1
        yield {"seq": seq, "t": number, "kind": "response", "question": seq - 2 * number, "attempt": number,
               "finish": finish}


def code(text):
    return ("complete", f"Here it is:\n```python\n{text}\n```\n")


def ask(world, *attempts, options=(), answer=None, form=("--json",)):
    """A case of one question with these recorded attempts, asked."""
    world.write("case.json", json.dumps({"title": "one", "ceiling": CASE_CEILING}))
    known = {"id": "q1", "language": "en", "text": "How much?"}
    if answer is not None:
        known["answer"] = answer
    world.write("questions.json", json.dumps([known]))
    lines = [{"seq": 1, "t": 0, "kind": "session", "format": "techo-session", "version": 1, "id": "x",
              "start": "2025-01-01T00:00:00Z"}, *question(2, "q1", attempts)]
    recording = world.write("answers.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    return world.techo("ask", "--case", ".", "--model", f"recorded:{recording}", "--instant", *form, *options, "q1")


def row(result, name, scope=None):
    return next(row for row in result.rows() if row["name"] == name and row.get("scope") == scope)


# ---- attempts ----------------------------------------------------------------------------------------------------

def test_a_right_answer_ends_the_question(world):
    result = ask(world, code("print(30)"), code("print(31)"), answer=30)
    assert result.status == 0, result.err
    assert [event["verdict"] for event in result.kind("verdict")] == ["right"]
    assert len(result.kind("program")) == 1


def test_an_error_goes_back_and_the_next_attempt_is_taken(world):
    result = ask(world, code("print(1/0)"), code("print(30)"), answer=30)
    assert result.status == 0, result.err
    assert [event["verdict"] for event in result.kind("verdict")] == ["none", "right"]
    first, second = result.kind("prompt")
    told = second["body"]["messages"][-1]["content"]
    assert "ZeroDivisionError" in told and "line 1" in told
    assert second["body"]["messages"][-2]["role"] == "assistant"
    assert first["hash"] != second["hash"]


def test_people_are_told_why_an_attempt_failed(world):
    fails = code("def f(x):\n    return x['price']\nf({})"), code("import sys\nsys.exit('no data for 2024')"), code("pass")
    result = ask(world, *fails, form=())
    assert (result.status, result.out) == (1, "")
    said = result.err.splitlines()
    assert "techo: KeyError: 'price', line 2: return x['price']" in said
    assert "techo: its last line on stderr: no data for 2024" in said
    assert said.index("techo: attempt 2:") < said.index("techo: attempt 3:")
    assert any(line.startswith("techo: verdict: none, ") for line in said[said.index("techo: attempt 3:"):]), result.err


def test_a_missing_permission_is_told_and_nothing_about_existence(world):
    for name in (".env", ".env-that-is-not-there"):
        result = ask(world, code(f"print(open('{name}').read())"), code("print(30)"), options=["--inspect=off"])
        told = result.kind("prompt")[1]["body"]["messages"][-1]["content"]
        assert f"file.read=./{name}" in told
        assert "PermissionError: [Errno 13] Permission denied" in told
        assert "No such file" not in told
        assert SECRET not in told


def test_a_permission_that_was_missed_often_is_told_once(world):
    tries = "import os\nfor way in ('.env', './data/../.env', os.path.abspath('.env')):\n    try: open(way)\n    except OSError: pass"
    result = ask(world, code(tries), code("print(30)"), options=["--inspect=off"])
    assert len(result.denials()) >= 1
    assert result.kind("prompt")[1]["body"]["messages"][-1]["content"].count("file.read=./.env\n") == 1


@pytest.mark.parametrize("first,told", [
    (code("pass"), "printed nothing"),
    (("truncated", "```python\nprint("), "cut off"),
    (("complete", "I will not."), "no program"),
    (("complete", ""), "empty"),
    (code(" "), "empty"),
])
def test_answers_that_are_no_answer_go_back(world, first, told):
    result = ask(world, first, code("print(30)"), answer=30)
    assert result.status == 0, result.err
    assert told in result.kind("prompt")[1]["body"]["messages"][-1]["content"]


def test_words_where_a_number_is_wanted_go_back(world):
    result = ask(world, code("print('about thirty')"), code("print(30)"), answer=30)
    assert result.status == 0, result.err


def test_a_wrong_answer_is_not_asked_again(world):
    result = ask(world, code("print(29)"), code("print(30)"), answer=30)
    assert result.status == 1
    assert [event["verdict"] for event in result.kind("verdict")] == ["wrong"]


def test_attempts_are_bounded(world):
    result = ask(world, *[code("print(1/0)")] * 5, options=["--attempts=2"])
    assert result.status == 1
    assert len(result.kind("run")) == 2


def test_the_recorded_attempts_may_be_too_few(world):
    result = ask(world, code("print(1/0)"))
    assert result.status == 1
    assert "no recorded answer for attempt 2" in result.kind("note")[-1]["text"]


def test_a_blocked_program_is_told_to_the_model_and_never_runs(world):
    result = ask(world, code("import os\nos.system('id')"), code("print(30)"), answer=30)
    assert result.status == 0, result.err
    assert [event["status"] for event in result.kind("exit")] == ["blocked", "ok"]
    assert len(result.kind("run")) == 1
    assert "line 2" in result.kind("prompt")[1]["body"]["messages"][-1]["content"]


def test_a_program_of_several_blocks_is_said(world):
    result = ask(world, ("complete", "```python\nprint(30)\n```\nor\n```python\nprint(31)\n```\n"), answer=30)
    assert result.status == 0, result.err
    assert result.kind("response")[0]["finish"] == "several"


def test_the_prompt_says_question_data_rules_and_ceiling(world):
    prompt = ask(world, code("print(30)")).kind("prompt")[0]
    system, user = (message["content"] for message in prompt["body"]["messages"])
    assert "How much?" in user and '"data/sales.csv"' in user and ".env" not in user
    assert "read files: ./data/*" in system and "./out" in system and "wall 20s" in system


# ---- grant and use -----------------------------------------------------------------------------------------------

def test_what_is_declared_above_the_ceiling_is_trimmed_and_the_program_still_right(world):
    result = ask(world, code("""\
# require file.read("./data/*")
# require net("api.evil.test:443")
# require file.read("./.env")
try:
    open(".env").read()
except OSError:
    pass
print(len(open("data/sales.csv").readlines()))"""), answer=3)
    assert result.status == 0, result.err
    assert row(result, "file.read", "./data/*")["state"] == "granted"
    assert row(result, "net", "api.evil.test:443")["state"] == "trimmed"
    secret = row(result, "file.read", "./.env")
    assert secret["state"] == "trimmed" and secret["line"] == 3
    denial, = result.denials()
    assert denial["permission"] == secret["id"] and denial["line"] == 5
    assert denial["source"] == 'open(".env").read()'


def test_a_program_without_requires_gets_the_ceiling_by_default(world):
    result = world.run("print(open('data/sales.csv').read())", "-c", CASE_CEILING)
    assert row(result, "file.read", "./data/*")["origin"] == "default"


def test_a_program_with_requires_gets_those_alone(world):
    result = world.run("# require file.read('./data/more/*')\nopen('data/sales.csv')", "-c", CASE_CEILING)
    assert result.kind("exit")[0]["status"] == "denied"
    denial, = result.denials()
    assert "require file.read=./data/sales.csv" in denial["why"]


def test_a_require_that_cannot_be_read_does_not_open_the_ceiling(world):
    result = world.run("# require file.read(\n# require fiel.read=./x\nopen('data/sales.csv')", "-c", CASE_CEILING)
    assert result.kind("exit")[0]["status"] == "denied"
    assert "require is not understood" in result.kind("note")[0]["text"]


def test_a_byte_order_mark_is_no_part_of_the_program(world):
    assert world.run("\ufeffprint(1)").kind("exit")[0]["status"] == "ok"


def test_the_preamble_comes_before_line_1_and_its_requires_count(world):
    world.write("pre.py", "# require file.read=./data/*\nLIMIT = 7\n")
    result = world.run("print(LIMIT)\n1/0", "-c", CASE_CEILING, "--preamble", "pre.py")
    assert result.kind("output")[0]["bytes"] == "7\n"
    assert result.kind("exception")[0]["frames"][-1]["line"] == 2
    assert row(result, "file.read", "./data/*")["origin"] == "preamble"
    assert result.kind("program")[0]["preamble_lines"] == 2


def test_use_is_counted_by_granting_item_without_the_base(world):
    program = "import json, decimal\nfor i in range(3): open('data/sales.csv').read()\nopen('data/more/prices.csv')\nprint(1)"
    result = world.run(program, "-c", "stdout,file.read=./data/more/*,file.read=./data/*,file.read=./notes.txt")
    ids = {row["id"]: row.get("scope") for row in result.rows()}
    used = {ids[event["item"]]: event for event in result.kind("used")}
    assert (used["./data/*"]["opens"], used["./data/*"]["files"]) == (3, 1)
    assert used["./data/*"]["bytes"] == (world.folder / "data/sales.csv").stat().st_size
    assert used["./data/more/*"]["files"] == 1
    assert "./notes.txt" not in used or used["./notes.txt"]["opens"] == 0


def test_the_least_ceiling_is_enough_and_no_item_of_it_can_go(world):
    program = "print(open('data/more/prices.csv').read())"
    least = world.run(program, "-c", "stdout,time,file.read=./data/more/*,file.read=./notes.txt").kind("least")[0]["text"]
    assert least == "stdout,file.read=./data/more/*"
    assert world.run(program, "-c", least).kind("exit")[0]["status"] == "ok"
    assert world.run(program, "-c", "stdout").kind("exit")[0]["status"] == "denied"


def test_the_pasted_fix_makes_that_denial_vanish_and_no_other(world):
    program = "for name in ('.env', 'notes.txt'):\n    try: open(name)\n    except OSError: pass\nprint(1)"
    first = world.run(program, "-c", "stdout", "--inspect=off")
    assert {denial["missing"] for denial in first.denials()} == {"file.read=./.env", "file.read=./notes.txt"}
    fix = row(first, "file.read", "./notes.txt")["fix"]
    second = world.run(program, "-c", f"stdout,{fix}", "--inspect=off")
    assert {denial["missing"] for denial in second.denials()} == {"file.read=./.env"}


@pytest.mark.parametrize("item", ["db=example", "exec=?"])
def test_a_ceiling_that_is_not_served_is_refused(world, item):
    result = world.run("print(1)", "-c", f"stdout,{item}")
    assert result.status == 126
    assert result.kind("exit")[0]["status"] == "refused"
    assert item in result.kind("exit")[0]["message"]
    assert not result.kind("run")


# ---- what a run leaves ---------------------------------------------------------------------------------------------

def test_artifacts_come_with_hash_and_content(world):
    result = world.run("open('out/a.txt', 'w').write('hello')\nopen('out/b', 'wb').write(b'\\xff\\x00')\nprint(1)")
    found = {event["name"]: event for event in result.kind("artifact")}
    assert found["a.txt"]["bytes"] == "hello"
    assert found["a.txt"]["hash"] == "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
    assert found["b"]["bytes"] == {"base64": "/wA="}
    assert not (world.folder / "out").exists()


def test_an_exception_is_told_without_the_harness(world):
    result = world.run("def f(x):\n    return x['a']\nf({})")
    error, = result.kind("exception")
    assert (error["type"], error["message"]) == ("KeyError", "'a'")
    assert [(frame["line"], frame["function"]) for frame in error["frames"]] == [(3, "<module>"), (2, "f")]
    said = "".join(event["bytes"] for event in result.kind("output") if event["stream"] == 2)
    assert "harness" not in said and 'File "program.py", line 2, in f' in said


def test_a_program_cannot_reach_what_its_harness_says_by_the_lowest_descriptor(world):
    program = "import os\nos.closerange(3, 1024)\nf = open('out/x', 'w')\nf.write('mine')\nf.close()\nprint(open('out/x').read())"
    result = world.run(program)
    assert result.kind("exit")[0]["status"] == "ok", result.err
    assert result.kind("artifact")[0]["bytes"] == "mine"


def test_what_a_program_says_in_its_harness_s_place_is_bounded_and_checked(world):
    program = """\
import os
lies = ['{"kind": "exception", "type": 3, "message": [1], "frames": "x", "errno": "y"}', '{"kind": "result"}', '[', '7',
        '{"kind": "exit", "status": "ok"}', '{"kind": "exception", "frames": [[1e999], {"line": -1}]}', '@99999999999999']
for fd in range(3, 256):
    try:
        for lie in lies * 200: os.write(fd, lie.encode() + b"\\n")
    except OSError: pass
print(1)
"""
    result = world.run(program, "--inspect=off")
    assert result.kind("exit")[0]["status"] == "ok", result.err
    said = result.kind("exception")
    assert 0 < len(said) <= 100
    assert all(event["type"] == "Exception" for event in said)


def test_children_do_not_speak_for_the_program(world):
    program = "import os\npid = os.fork()\nif pid == 0:\n    open('out/child', 'w')\n    os._exit(0)\nos.waitpid(pid, 0)\nprint(1)"
    assert world.run(program).kind("exit")[0]["status"] == "ok"


def test_the_same_program_answers_alike_twice(world):
    program = "import os\nprint({'a', 'b', 'c', 'd', 'e'}, hash('x'), sorted(os.environ))"
    outputs = {world.run(program).kind("output")[0]["bytes"] for _ in range(2)}
    assert len(outputs) == 1


# ---- cancel --------------------------------------------------------------------------------------------------------

def test_ctrl_c_ends_the_run_as_cancelled_with_a_complete_log(world):
    world.write("loop.py", "print('begun')\nwhile True: pass\n")
    with world.start("run", "--json", "loop.py") as process:
        for line in process.stdout:
            if json.loads(line)["kind"] == "output":
                break
        process.send_signal(signal.SIGINT)
        rest = [json.loads(line) for line in process.stdout]
        assert process.wait(timeout=60) == 130
    assert rest[-1] == {**rest[-1], "kind": "end", "status": "cancelled"}
    assert [event["status"] for event in rest if event["kind"] == "exit"] == ["cancelled"]
    log, = world.sessions()
    assert json.loads(log.read_text().splitlines()[-1])["kind"] == "end"


def cancel_at(world, words, kind):
    """Ctrl-C as soon as the first event of this kind is seen; all events."""
    with world.start(*words, "--json") as process:
        events = []
        for line in process.stdout:
            events.append(json.loads(line))
            if events[-1]["kind"] == kind:
                process.send_signal(signal.SIGINT)
                break
        events += [json.loads(line) for line in process.stdout]
        return process.wait(timeout=60), events


@pytest.mark.parametrize("kind", ["prompt", "delta", "program"])
def test_ctrl_c_before_the_run_is_cancelled_too(world, kind):
    """While the recorded model thinks and writes, and while the program is inspected."""
    status, events = cancel_at(world, ["ask", "--case", "analytics", "q01"], kind)
    assert status == 130
    assert events[-1]["kind"] == "end" and events[-1]["status"] == "cancelled"
    assert [event["status"] for event in events if event["kind"] == "exit"][-1] == "cancelled"
    opened = [event["name"] for event in events if event["kind"] == "phase" and event["step"] == "begin"]
    closed = [event["name"] for event in events if event["kind"] == "phase" and event["step"] == "end"]
    assert closed == [*opened, "question"]



@pytest.mark.parametrize("mode", ["block", "warn", "off"])
def test_a_program_that_cannot_be_inspected_does_not_run_under_block(world, mode):
    parts = world.base / "parts" / "libexec" / "techo"  # techo without its inspector
    parts.mkdir(parents=True)
    shutil.copy(TECHO.parents[1] / "libexec" / "techo" / "python_harness.py", parts)
    broken = {"TECHO_HOME": str(world.base / "parts")}
    ran = world.run("print('ran')", f"--inspect={mode}", env=broken)
    (end,) = ran.kind("exit")
    assert (end["status"], ran.status) == (("setup", 125) if mode == "block" else ("ok", 0))
    assert any(event["bytes"] == "ran\n" for event in ran.kind("output")) == (mode != "block")
    if mode == "block":
        assert "was not inspected" in end["message"]
    checked = world.techo("check", "program.py", env=broken)
    assert (checked.status, checked.out) == (125, "")
    assert "was not inspected" in checked.err
    assert world.techo("check", "program.py").status == 0
