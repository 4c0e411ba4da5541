"""--out: what a program leaves in ./out is taken out of the session, into a folder of the host."""
import json

from test_engine import ask, code

PROGRAM = """import os
os.mkdir("out/more")
open("out/plot.txt", "w").write("a plot\\n")
open("out/more/raw.bin", "wb").write(bytes(range(256)))
"""


def test_run_writes_artifacts_and_says_where(each_user):
    each_user.write("p.py", PROGRAM)
    result = each_user.techo("run", "--out", "results", "p.py")
    assert result.status == 0, result.err
    assert (each_user.folder / "results" / "plot.txt").read_text() == "a plot\n"
    assert (each_user.folder / "results" / "more" / "raw.bin").read_bytes() == bytes(range(256))
    assert "techo: wrote results/plot.txt\n" in result.err
    assert "techo: wrote results/more/raw.bin\n" in result.err


def test_a_replay_gives_the_same_files(world):
    world.write("p.py", PROGRAM)
    assert world.techo("run", "p.py").status == 0
    assert not (world.folder / "out").exists()
    [session] = world.sessions()
    result = world.techo("replay", session, "--out", "again/")
    assert result.status == 0, result.err
    assert "techo: wrote again/plot.txt\n" in result.err
    assert (world.folder / "again" / "more" / "raw.bin").read_bytes() == bytes(range(256))


def test_what_is_there_is_not_replaced(world):
    world.write("p.py", PROGRAM)
    (world.folder / "results").mkdir()
    world.write("results/plot.txt", "mine\n")
    result = world.techo("run", "--out", "results", "p.py")
    assert result.status == 125
    assert "techo: not written to results: plot.txt is there already, and is not replaced\n" in result.err
    assert (world.folder / "results" / "plot.txt").read_text() == "mine\n"
    assert (world.folder / "results" / "more" / "raw.bin").exists()


def test_above_one_mebibyte_the_hash_alone_is_known(world):
    world.write("p.py", "open('out/big', 'w').write('x' * (2 << 20))\nopen('out/small', 'w').write('x')\n")
    result = world.techo("run", "--out", ".", "p.py")
    assert result.status == 125
    assert "above 1 MiB a session keeps the hash alone" in result.err
    assert (world.folder / "small").exists()
    assert not (world.folder / "big").exists()


def test_a_folder_that_cannot_be_used_is_said_before_anything_runs(world):
    world.write("p.py", "print('ran')\n")
    result = world.techo("run", "--out", "notes.txt", "p.py")
    assert result.status == 125
    assert result.err == "techo: cannot use the folder notes.txt: Not a directory\n"
    assert result.out == ""
    assert world.sessions() == []


def test_a_forged_session_writes_nowhere_else(world):
    world.write("p.py", PROGRAM)
    assert world.techo("run", "p.py").status == 0
    [session] = world.sessions()
    events = [json.loads(line) for line in session.read_text("utf-8").splitlines()]
    names = iter(["../escaped", str(world.home / "escaped")])
    for event in events:
        if event["kind"] == "artifact":
            event["name"] = next(names)
    forged = world.write("forged.jsonl", "".join(json.dumps(event) + "\n" for event in events))
    result = world.techo("replay", forged, "--out", "results")
    assert result.status == 2
    assert result.err.count("not written to results:") == 2
    assert list((world.folder / "results").iterdir()) == []
    assert not (world.folder / "escaped").exists() and not (world.home / "escaped").exists()


def test_only_what_the_last_attempt_left_is_written(world):
    result = ask(world, code("open('out/a', 'w').write('1')\n1/0"), code("open('out/b', 'w').write('2')\nprint(30)"),
                 answer=30, options=("--out", "results"))
    assert result.status == 0, result.err
    assert [path.name for path in (world.folder / "results").iterdir()] == ["b"]
