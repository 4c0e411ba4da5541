"""--unsafe and --without: attacks that get through, into a throw-away world and no further."""
import json

import pytest

from conftest import SECRET

ATTACK = """
import json, os, socket
found = {}
def attempt(name, what):
    try:
        found[name] = what()
    except OSError as error:
        found[name] = "refused"
def change():
    with open("data/sales.csv", "a") as file:
        file.write("changed")
    return "changed"
attempt("control", lambda: open("data/sales.csv").readline())
attempt("env", lambda: open(".env").read())
attempt("home", lambda: open(os.path.expanduser("~/.env")).read())
attempt("real home", lambda: open("REAL/secret").read())
attempt("change", change)
attempt("shadow", lambda: open("/etc/shadow").read())
print(json.dumps(found))
"""
LAYERS = ["namespaces", "mounts", "landlock", "seccomp", "rlimits", "cgroup", "notify"]


def attack(world, *options):
    (world.home / "secret").write_text(SECRET)
    world.own(world.home)
    result = world.run(ATTACK.replace("REAL", str(world.home)), "-c", "stdout,file.read=./data/*", "--inspect=off",
                       "--notify=observe", *options)
    assert result.status == 0, result.out + result.err
    found = json.loads("".join(event["bytes"] for event in result.kind("output") if event["stream"] == 1))
    assert found["control"] == "region,net\n"
    assert SECRET not in result.out
    assert (world.folder / "data" / "sales.csv").read_text() == "region,net\nNorte,10\nSur,20\n"
    return result, found


def test_without_what_hides_files_an_attack_gets_through_into_the_decoy(each_user):
    result, found = attack(each_user, "--unsafe", "--without", "mounts,landlock")
    assert "decoy" in found["env"] and "decoy" in found["home"]
    assert found["change"] == "changed"
    assert found["real home"] == found["shadow"] == "refused"
    [run] = result.kind("run")
    assert run["decoy"] is True
    off = {entry["layer"]: entry["why"] for entry in run["off"]}
    assert off["mounts"] == off["landlock"] == "switched off by --without"
    assert not {"mounts", "landlock"} & set(run["layers"])


@pytest.mark.parametrize("layer", LAYERS)
def test_without_one_layer_another_still_hides_files(each_user, layer):
    result, found = attack(each_user, "--unsafe", "--without", layer)
    assert set(found.values()) == {"region,net\n", "refused"}, found
    [run] = result.kind("run")
    assert layer not in run["layers"]
    assert {"layer": layer, "why": "switched off by --without"} in run["off"]


def test_all_layers_on_a_decoy_cell_contains_as_any(each_user):
    result, found = attack(each_user, "--unsafe")
    assert set(found.values()) == {"region,net\n", "refused"}, found
    assert result.kind("run")[0]["decoy"] is True


def test_what_is_run_unsafely_says_so(world):
    result = world.techo("exec", "--unsafe", "--", "/usr/bin/echo", "hello")
    assert result.out == "hello\n"
    assert "UNSAFE: in a decoy cell, on a throw-away copy of" in result.err
    ordinary = world.run("print(1)\n")
    assert "decoy" not in ordinary.kind("run")[0]


@pytest.mark.parametrize("words, line", [
    (["--without", "seccomp"], "type --unsafe too"),
    (["--unsafe", "--without", "secomp"], "no such layer to switch off: secomp"),
    (["--unsafe", "--without", "supervisor"], "no such layer to switch off: supervisor"),
])
def test_what_cannot_be_switched_off_is_refused(world, words, line):
    world.write("p.py", "print('ran')\n")
    result = world.techo("run", *words, "p.py")
    assert result.status == 125
    assert line in result.err
    assert "ran" not in result.out


def test_the_throw_away_copy_is_thrown_away(world, tmp_path):
    world.write("p.py", "print(1)\n")
    copies = tmp_path / "copies"
    copies.mkdir(mode=0o777)
    copies.chmod(0o777)
    result = world.techo("run", "--unsafe", "p.py", env={"TMPDIR": str(copies)})
    assert result.status == 0, result.err
    assert list(copies.iterdir()) == []
