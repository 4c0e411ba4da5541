"""The case study's attacks and the ten questions, as `techo escapes` and `techo bench` run them."""
import hashlib
import subprocess

import pytest

from conftest import ROOT

ATTACKS = ["secret-file", "network", "overwrite", "endless-loop"]


def hashes(folder):
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("mode", ["answer", "observe"])
def test_the_four_attacks_are_contained(each_user, mode):
    before = hashes(ROOT / "cases" / "analytics")
    result = each_user.techo("escapes", "-x", "python@sandbox", f"--notify={mode}", "--json", *ATTACKS)
    assert result.status == 0, result.out + result.err
    end = result.end
    assert (end["contained"], end["escaped"], end["unexpected"], end["total"]) == (4, 0, 0, 4)
    assert hashes(ROOT / "cases" / "analytics") == before
    for event in result.kind("exit"):
        assert not event.get("unkillable")


@pytest.mark.parametrize("mode", ["answer", "observe"])
@pytest.mark.parametrize("attack", ["secret-file", "network", "overwrite"])
def test_each_denial_names_path_permission_layer_and_line(each_user, attack, mode):
    result = each_user.techo("escapes", "-x", "python@sandbox", f"--notify={mode}", "--json", attack)
    denials = result.denials()
    assert denials, result.out + result.err
    for denial in denials:
        assert denial["resolved"]
        assert denial["missing"]
        assert denial["layer"]
        assert denial["line"] > 0
        if mode == "observe":
            assert not denial.get("answered")


def test_the_endless_one_is_ended_by_wall_with_nothing_left(each_user):
    result = each_user.techo("escapes", "-x", "python@sandbox", "--json", "endless-loop")
    attack, control = result.kind("exit")
    assert (attack["status"], control["status"]) == ("wall", "ok"), result.err


def test_the_table_for_people(world):
    result = world.techo("escapes", "-x", "python@sandbox")
    assert result.status == 0, result.err
    for attack in ATTACKS:
        assert attack in result.out
    assert "4 of 4 contained" in result.out


def test_ten_of_ten(each_user):
    result = each_user.techo("bench", "analytics", "--instant", "--json")
    end = result.end
    assert (end["right"], end["wrong"], end["failed"], end["total"]) == (10, 0, 0, 10), result.err
    assert result.status == 0
    for event in result.kind("run"):
        assert event["level"] == "L0"
        assert "mounts" in event["layers"]


def test_the_scored_table_for_people(world):
    result = world.techo("bench", "--instant")
    assert result.status == 0, result.err
    assert result.out.count(" right ") >= 10
    assert "10 of 10 right" in result.out
    assert "layers in force: " in result.out


def test_the_demo_without_a_terminal(world):
    result = subprocess.run([ROOT / "setup" / "demo"], stdin=subprocess.DEVNULL, capture_output=True,
                            env=world.environment(), timeout=300, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.rstrip().endswith(b"demo: all answers are right")


def test_ask_gives_the_recorded_answer(world):
    result = world.techo("ask", "--case", "analytics", "--instant", "q01")
    assert result.status == 0, result.err
    assert result.out.strip()


def test_ask_without_a_recorded_answer_says_so(world):
    result = world.techo("ask", "--case", "analytics", "--instant", "What is the colour of the sea?")
    assert result.status == 1
    assert "recorded" in result.err
