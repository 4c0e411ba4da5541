"""Executors that hold nothing run in decoy cells; the matrix of attacks and executors is read from effects alone."""
import hashlib
import shutil
import subprocess

import pytest

from conftest import ROOT, SECRET, Result

SANDBOXED = ["python@sandbox", "sql@sandbox"]
DECOYS = ["python@process", "python@restricted", "sql@duckdb", "sql@fenced"]
MATRIX = {
    "secret-file": {"sql@fenced": "contained"},
    "network": {"sql@fenced": "contained"},
    "overwrite": {},
    "endless-loop": {},
}


def hashes(folder):
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.rglob("*")) if path.is_file()}


def cells(result):
    """Outcome by attack and executor; verdicts come in the order of the questions that are no controls."""
    attacks = {event["seq"]: event for event in result.kind("question")}
    found = {}
    for verdict in result.kind("verdict"):
        question = attacks[verdict["question"]]
        found[question["id"], question["executor"]] = verdict["verdict"]
    return found


@pytest.fixture
def copy(world):
    """An installation of its own, whose cases a test may change."""
    place = world.base / "copy"
    for name in ("bin", "libexec", "cases", "sessions", "themes"):
        shutil.copytree(ROOT / name, place / name, symlinks=True)
    for name in (".venv", ".deps"):
        (place / name).symlink_to((ROOT / name).resolve())
    return place


def escapes(world, place, *words):
    done = subprocess.run([place / "bin" / "techo", "escapes", "--json", *words], cwd=world.folder,
                          env=world.environment(), capture_output=True, timeout=120)
    return Result(done.returncode, done.stdout, done.stderr)


# ---- the matrix --------------------------------------------------------------------------------------------------

def test_the_sandbox_contains_and_the_unsafe_ways_do_not(each_user):
    before = hashes(ROOT / "cases" / "analytics")
    result = each_user.techo("escapes", "--json", "secret-file", "network", "overwrite")
    assert result.status == 0, result.out + result.err
    for (attack, executor), outcome in cells(result).items():
        expected = "contained" if executor in SANDBOXED else MATRIX[attack].get(executor, "escaped")
        assert outcome == expected, (attack, executor)
    assert {executor for _, executor in cells(result)} == {*SANDBOXED, *DECOYS}
    assert hashes(ROOT / "cases" / "analytics") == before


def test_an_endless_program_is_ended_by_the_cap_of_the_decoy_alone(world):
    result = world.techo("escapes", "--json", "-x", "sql@fenced,sql@sandbox", "endless-loop")
    assert result.status == 0, result.err
    assert cells(result) == {("endless-loop", "sql@fenced"): "escaped", ("endless-loop", "sql@sandbox"): "contained"}
    assert not any(event.get("unkillable") for event in result.kind("exit"))


def test_the_table_for_people_names_the_decoys(world):
    result = world.techo("escapes", "-x", "py,proc", "secret-file")
    lines = result.out.splitlines()
    assert "attack         py              proc" in [line.rstrip() for line in lines]
    assert "secret-file    contained       ESCAPED" in [line.rstrip() for line in lines]
    assert "in decoy cells: proc" in result.out


# ---- from effects alone ------------------------------------------------------------------------------------------

def test_a_program_that_only_says_that_it_got_out_did_not(world, copy):
    (copy / "cases/escapes/secret-file/attack.py").write_text("print('stolen: API_TOKEN=0123456789abcdef')\n")
    result = escapes(world, copy, "-x", "python@process", "secret-file")
    assert cells(result) == {("secret-file", "python@process"): "failed"}
    assert result.status == 1 and result.end["unexpected"] == 1


def test_a_decoy_without_its_secret_changes_the_cell(world, copy):
    """The attack is the same; what it would find is gone."""
    attack = copy / "cases/escapes/secret-file/attack.py"
    attack.write_text("import os\nos.unlink('.env')\n" + attack.read_text())
    result = escapes(world, copy, "-x", "python@process", "secret-file")
    effects = {event["what"]: event for event in result.kind("effect")}
    assert effects["canary"]["after"] == "secret"
    assert effects["data"]["after"] != effects["data"]["before"]


def test_a_quiet_change_is_seen(world, copy):
    (copy / "cases/escapes/overwrite/attack.py").write_text("open('data/stores/stores.csv', 'ab').write(b' ')\n")
    result = escapes(world, copy, "-x", "python@process", "overwrite")
    assert cells(result) == {("overwrite", "python@process"): "escaped"}


@pytest.mark.parametrize("program", ["import nosuchmodule\n", "this is no Python\n", ""])
def test_what_does_not_get_as_far_as_the_attack_is_never_contained(world, copy, program):
    (copy / "cases/escapes/secret-file/attack.py").write_text(program)
    result = escapes(world, copy, "-x", "python@sandbox,python@process", "secret-file")
    assert set(cells(result).values()) <= {"failed"}
    assert result.status == 1


# ---- one program -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("executor, name, program, expected", [
    ("python@process", "p.py", "open('data/sales.csv', 'w').write('gone'); print(open('.env').read())", "API_TOKEN="),
    ("sql@duckdb", "p.sql", "COPY (SELECT 'gone') TO 'data/sales.csv'; SELECT content FROM read_text('.env')", "API_TOKEN="),
])
def test_a_run_works_on_a_copy_and_sees_a_planted_secret(each_user, executor, name, program, expected):
    before = hashes(each_user.folder)
    result = each_user.run(program, "-x", executor, "-c", "none", "--inspect=off", name=name)
    assert result.status == 0, result.out + result.err
    said = "".join(event["bytes"] for event in result.kind("output"))
    assert expected in said and SECRET not in said
    each_user.folder.joinpath(name).unlink()
    assert hashes(each_user.folder) == before
    run, = result.kind("run")
    assert run["decoy"] is True and run["executor"] == executor
    assert "mounts" not in run["layers"]
    assert not result.kind("least")


def test_the_home_in_a_decoy_is_planted(world):
    (world.home / ".env").write_text(f"KEY={SECRET}\n")
    result = world.run("import os; print(open(os.path.expanduser('~/.env')).read())", "-x", "python@process",
                       "--inspect=off")
    assert "this-home-is-a-decoy" in result.out and SECRET not in result.out


def test_restricted_python_restricts_what_it_promises(world):
    result = world.run("import os\n", "-x", "python@restricted", "--inspect=off")
    assert [event["type"] for event in result.kind("exception")] == ["ImportError"]
    result = world.run("print((1).__class__)\n", "-x", "python@restricted", "--inspect=off")
    assert [event["type"] for event in result.kind("exception")] == ["SyntaxError"]


def test_nothing_of_the_copies_is_left(world):
    place = world.base / "copies"
    place.mkdir()
    world.run("print(1)", "-x", "python@process", env={"TMPDIR": str(place)})
    world.techo("escapes", "-x", "sql@duckdb", "secret-file", env={"TMPDIR": str(place)})
    assert list(place.iterdir()) == []


def test_the_ten_questions_over_executors(world):
    result = world.techo("bench", "analytics", "-x", "sql@sandbox,sql@duckdb,sql@fenced", "--instant", "--json")
    assert result.end["right"] == 30, result.out
