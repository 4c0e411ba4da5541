"""End to end: the built bin/techo, each test with a home, a state folder and data of its own."""
import fcntl
import json
import os
import pathlib
import pty
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TECHO = pathlib.Path(os.environ.get("TECHO_TESTED", ROOT / "bin" / "techo"))  # of another MODE
NOBODY = 65534
SECRET = "canary-5f1c7e"


class Result:
    """What a finished techo said."""

    def __init__(self, status, out, err):
        self.status, self.stdout, self.stderr = status, out, err

    @property
    def out(self):
        return self.stdout.decode("utf-8", "replace")

    @property
    def err(self):
        return self.stderr.decode("utf-8", "replace")

    @property
    def events(self):
        """The events of --json; exactly one `end`, and nothing after it."""
        events = [json.loads(line) for line in self.out.splitlines()]
        assert [event["kind"] for event in events].count("end") == 1, self.out + self.err
        assert events[-1]["kind"] == "end"
        return events

    @property
    def end(self):
        return self.events[-1]

    def kind(self, kind):
        return [event for event in self.events if event["kind"] == kind]

    def denials(self):
        """The last report of each denied access."""
        last = {}
        for event in self.kind("access"):
            last[event["question"], event["attempt"], event["number"]] = event
        return [event for event in last.values() if event["verdict"] == "denied"]

    def rows(self):
        """The permission rows as they ended, by name and scope."""
        last = {}
        for event in self.kind("permission"):
            last[event["id"]] = {**last.get(event["id"], {}), **event}
        return list(last.values())


class World:
    """A folder with data in it and a secret beside the data, and techo started there."""

    def __init__(self, base, user):
        self.base, self.user = base, user
        self.folder, self.state, self.home = base / "folder", base / "state", base / "home"
        for path in (self.folder / "data" / "more", self.state, self.home):
            path.mkdir(parents=True)
        self.write("data/sales.csv", "region,net\nNorte,10\nSur,20\n")
        self.write("data/more/prices.csv", "item,price\na,1\nb,2\n")
        self.write("notes.txt", "only notes\n")
        self.write(".env", f"KEY={SECRET}\n")
        self.own(base)

    def own(self, path):
        if self.user is None:
            return
        for name in [path, *path.rglob("*")]:
            os.chown(name, self.user, self.user, follow_symlinks=False)

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        self.own(path)
        return path

    def environment(self, **more):
        keep = {name: os.environ[name] for name in ("PATH", "TECHO_PYTHON", "ASAN_OPTIONS", "UBSAN_OPTIONS") if name in os.environ}
        return {**keep, "HOME": str(self.home), "XDG_STATE_HOME": str(self.state), "LANG": "C.UTF-8", **more}

    def command(self, *words):
        prefix = []
        if self.user is not None:
            prefix = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", "--"]
        return [*prefix, str(TECHO), *map(str, words)]

    def start(self, *words, env=None, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen(self.command(*words), cwd=self.folder, env=self.environment(**(env or {})), **options)

    def techo(self, *words, env=None, stdin=None):
        with self.start(*words, env=env, stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL) as process:
            try:
                out, err = process.communicate(stdin, timeout=120)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                raise
        return Result(process.returncode, out, err)

    def run(self, program, *options, name="program.py", env=None):
        """techo run of a program text, as events."""
        self.write(name, program)
        return self.techo("run", *options, "--json", name, env=env)

    def sessions(self):
        return sorted((self.state / "techo" / "sessions").glob("*.jsonl"))


def take_terminal():
    """In a child of its own session: descriptor 0 becomes the controlling terminal, as a terminal emulator has it."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


class Screen:
    """techo with a pseudo-terminal of 80 x 24 as its three descriptors."""

    LEAVES = b"\x1b[?1049l"

    def __init__(self, world, *words, term="xterm-256color"):
        self.master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.before = termios.tcgetattr(self.slave)
        self.out = b""
        self.process = world.start(*words, env={"TERM": term}, stdin=self.slave, stdout=self.slave, stderr=self.slave,
                                   start_new_session=True, preexec_fn=take_terminal)

    def wait_for(self, text):
        while text not in self.out:
            readable, _, _ = select.select([self.master], [], [], 60)
            assert readable, self.out
            self.out += os.read(self.master, 65536)

    def type(self, keys):
        os.write(self.master, keys)

    def status(self):
        """Waits for the end, and takes what was still said. The terminal is as it was before."""
        while self.process.poll() is None:
            if select.select([self.master], [], [], 0.05)[0]:
                self.out += os.read(self.master, 65536)
        while select.select([self.master], [], [], 0)[0]:
            self.out += os.read(self.master, 65536)
        assert termios.tcgetattr(self.slave) == self.before
        return self.process.returncode

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pipe in (self.slave, self.master):
            os.close(pipe)


@pytest.fixture
def screens():
    opened = []

    def opens(*arguments, **options):
        opened.append(Screen(*arguments, **options))
        return opened[-1]

    yield opens
    for screen in opened:
        screen.close()


def make_world(user):
    base = pathlib.Path(tempfile.mkdtemp(prefix="techo-e2e-"))
    base.chmod(0o755)
    return World(base, user)


@pytest.fixture
def world():
    """As whoever runs the tests."""
    world = make_world(None)
    yield world
    shutil.rmtree(world.base, ignore_errors=True)


@pytest.fixture(params=["self", "nobody"])
def each_user(request):
    """As whoever runs the tests and, when that is root, as a user without any right too."""
    if request.param == "nobody" and os.geteuid() != 0:
        pytest.skip("only root can become another user")
    world = make_world(NOBODY if request.param == "nobody" else None)
    yield world
    shutil.rmtree(world.base, ignore_errors=True)
