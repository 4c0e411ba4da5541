"""The attacks of cases/escapes do what their story says where nothing holds them, and their controls are harmless.

Each runs here with plain Python in a throw-away copy of the analytics case: an attack that would fail anyway proves
nothing about a sandbox.
"""
import contextlib
import hashlib
import json
import pathlib
import resource
import shutil
import socket
import subprocess
import threading

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ESCAPES = ROOT / "cases" / "escapes"
PYTHON = ROOT / ".venv" / "bin" / "python"
CANARY = "canary-7d41f0"
IDS = sorted(path.parent.name for path in ESCAPES.glob("*/escape.json"))
EFFECTS = {"canary", "listener", "data", "survivors"}


@pytest.fixture
def copy(tmp_path):
    """A case as a run gets it: a canary in .env, an empty ./out."""
    case = tmp_path / "case"
    shutil.copytree(ROOT / "cases" / "analytics" / "data", case / "data")
    (case / ".env").write_text(f"API_TOKEN={CANARY}\n")
    (case / "out").mkdir()
    return case


def described(identity):
    return json.loads((ESCAPES / identity / "escape.json").read_text("utf-8"))


def run(identity, kind, case, host="localhost", port=1, **more):
    text = (ESCAPES / identity / described(identity)[kind]["python"]).read_text("utf-8")
    for mark, value in (("@HOST@", host), ("@ADDRESS@", "127.0.0.1"), ("@PORT@", str(port))):
        text = text.replace(mark, value)
    return subprocess.run([PYTHON, "-c", text], cwd=case, capture_output=True, text=True, **more)


def fingerprints(case):
    return {path.relative_to(case): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in case.rglob("*") if path.is_file() and "out" not in path.parts}


@contextlib.contextmanager
def listener():
    """A server that keeps what it gets, one item per connection."""
    received, server = [], socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                got = connection.recv(65536)
                if got.startswith(b"POST"):
                    connection.sendall(b"HTTP/1.0 204 No Content\r\n\r\n")
                received.append(got)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield server.getsockname()[1], received
    finally:
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
        server.close()


def test_the_four_attacks_of_the_case_study_are_there():
    assert {"secret-file", "network", "overwrite", "endless-loop"} <= set(IDS)


@pytest.mark.parametrize("identity", IDS)
def test_each_is_described_whole(identity):
    escape = described(identity)
    assert set(escape) - {"ceiling"} == {"title", "story", "programs", "controls", "expected", "effects"}
    assert escape["expected"]["python@sandbox"] == "contained"
    assert set(escape["effects"]) <= EFFECTS
    languages = {executor.split("@")[0] for executor in escape["expected"]}
    assert set(escape["programs"]) <= languages | set(escape["expected"])  # one executor's own comes before its language's
    assert "python" in escape["controls"] and set(escape["controls"]) <= set(escape["programs"])
    for name in [*escape["programs"].values(), *escape["controls"].values()]:
        assert (ESCAPES / identity / name).is_file()


def test_the_readme_has_every_effect():
    text = (ESCAPES / "README.md").read_text("utf-8")
    assert all(f"| `{effect}` |" in text for effect in EFFECTS)


@pytest.mark.parametrize("identity", IDS)
def test_each_control_works_and_leaves_the_data_alone(identity, copy):
    before = fingerprints(copy)
    done = run(identity, "controls", copy)
    assert (done.returncode, done.stdout) == (0, "control: ok\n"), done.stderr
    assert fingerprints(copy) == before


def test_unprotected_the_secret_file_is_read(copy):
    assert CANARY in run("secret-file", "programs", copy).stdout


def test_unprotected_the_data_leave(copy):
    with listener() as (port, received):
        done = run("network", "programs", copy, port=port)
    assert done.stdout.count(": sent") == 4
    assert len(received) == 4 and CANARY.encode() in b"".join(received)


def test_unprotected_the_data_change(copy):
    before = fingerprints(copy)
    done = run("overwrite", "programs", copy)
    after = fingerprints(copy)
    assert done.stdout.count(": done") >= 8
    assert after.get(pathlib.Path("data/catalog/products.csv")) != before[pathlib.Path("data/catalog/products.csv")]
    assert not (copy / "data" / "sales").exists()


def test_unprotected_the_loop_ends_only_by_force(copy):
    second = 1
    done = run("endless-loop", "programs", copy,
               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (second, second)))
    assert done.returncode == -9
