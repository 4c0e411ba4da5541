"""Where an attack runs: a folder with data and secrets, listeners of the host, and the program in its cell."""
import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TECHO_ESCAPES", ROOT / "build" / "release" / "escapes"))
NOBODY = 65534
CANARY = "canary-4b1d77"
PATIENCE, BARE_PATIENCE = 120, 10


def users():
    return ["self", "nobody"] if os.geteuid() == 0 else ["self"]


def as_user(user):
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"] if user == "nobody" else []


# what an attack without a cell leaves in the machine's shared folders goes with it
OWN_TMP = ["unshare", "--mount", "sh", "-c",
           'for at in /tmp /dev/shm; do mount -t tmpfs -o size=1g,mode=1777 tmpfs $at || exit 99; done; exec "$@"', "-"]


class Scene:
    """Made anew for each attack, and looked at afterwards."""

    def __init__(self, user, lack=""):
        self.user, self.lack = user, lack
        # not below /tmp, of which a cell has its own
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="techo-attack-", dir="/var/tmp"))
        self.base.chmod(0o755)
        self.root, self.outside, self.home = self.base / "root", self.base / "outside", self.base / "home"
        for folder in (self.root / "data" / "sub", self.root / ".git" / "hooks", self.outside, self.home):
            folder.mkdir(parents=True)
        for path, text in {"root/data/a.txt": "a\n", "root/data/b.txt": "b\n", "root/data/sub/c.txt": "c\n",
                           "root/.env": f"KEY={CANARY}\n", "root/secret.txt": CANARY, "root/notes.txt": "notes\n",
                           "root/setup.cfg": "[x]\n", "root/.git/hooks/pre-commit": "#!/bin/sh\n",
                           "outside/secret": CANARY, "outside/linked": "linked\n"}.items():
            (self.base / path).write_text(text)
        (self.root / "data" / "link-in").symlink_to("a.txt")
        (self.root / "data" / "link-out").symlink_to("../../outside/secret")
        os.link(self.outside / "linked", self.root / "data" / "hard")
        os.mkfifo(self.root / "data" / "fifo")
        self.abstract = f"techo-attack-{self.base.name}"
        self.listeners = [self.listen(socket.AF_INET, ("127.0.0.1", 0)), self.listen(socket.AF_UNIX, "\0" + self.abstract),
                          self.listen(socket.AF_UNIX, str(self.outside / "socket")),
                          self.listen(socket.AF_UNIX, str(self.root / "data" / "socket")),
                          self.listen(socket.AF_UNIX, str(self.root / "data" / "packets"), socket.SOCK_SEQPACKET),
                          self.listen(socket.AF_UNIX, str(self.root / "data" / "datagrams"), socket.SOCK_DGRAM)]
        if user == "nobody":
            for path in [self.base, *self.base.rglob("*")]:
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)

    def __enter__(self):
        self.before = self.hashes()
        return self

    def __exit__(self, *_):
        for process in self.survivors():
            os.kill(int(process), signal.SIGKILL)
        for listener in self.listeners:
            listener.close()
        shutil.rmtree(self.base, ignore_errors=True)

    @staticmethod
    def listen(family, address, kind=socket.SOCK_STREAM):
        listener = socket.socket(family, kind)
        listener.bind(address)
        if kind != socket.SOCK_DGRAM:
            listener.listen()
        listener.setblocking(False)
        return listener

    def hashes(self):
        """Everything of the scene, with kinds, modes, owners and times."""
        seen = {}
        for path in sorted(self.base.rglob("*")):
            info = path.lstat()
            content = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() and not path.is_symlink() else ""
            changed = info.st_mtime_ns if not path.is_dir() else 0
            seen[str(path.relative_to(self.base))] = (info.st_mode, info.st_uid, info.st_nlink, changed, content)
        return seen

    def connections(self):
        """Which of the host's listeners were reached."""
        reached = []
        for listener in self.listeners:
            try:
                if listener.type == socket.SOCK_DGRAM:
                    listener.recv(1)
                else:
                    listener.accept()[0].close()
                reached.append(str(listener.getsockname()))
            except BlockingIOError:
                pass
        return reached

    def survivors(self):
        """Processes that still carry the scene in their environment."""
        mark, found = f"ROOT={self.root}".encode(), []
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if mark in (entry / "environ").read_bytes().split(b"\0"):
                        found.append(entry.name)
                except OSError:
                    pass
        return found

    def environment(self):
        """The variables that attack programs read."""
        port = self.listeners[0].getsockname()[1]
        return {"ROOT": self.root, "OUTSIDE": self.outside, "HOST_HOME": self.home, "PORT": port,
                "RUNNER_PID": os.getpid(), "ABSTRACT": self.abstract}

    def command(self, attack, mode, more=()):
        name, *arguments = attack.program.split()
        program = BUILD / name
        words = [str(BUILD / "cell"), "-r", self.root, "-c", attack.policy + attack.limits]
        words += ["-o"] if mode == "observe" else []
        for path in [program, *attack.base]:
            words += ["-b", path]
        for key, value in {**self.environment(), "SELF": program}.items():
            words += ["-e", f"{key}={value}"]
        poorer = [str(BUILD / "poorer"), self.lack] if self.lack else []
        return [*as_user(self.user), *poorer, *map(str, [*words, *more, "--", program, *arguments])]

    def run_python(self, attack, mode):
        """The user's road: techo run, whose events say the same as a cell's reports."""
        name, case = attack.program.split()
        text = (ROOT / "tests" / "escapes" / "programs" / name).read_text(encoding="utf-8")
        program = self.base / "program.py"
        program.write_text(f"{text}\n\n{case}()\n", encoding="utf-8")
        self.before = self.hashes()
        status, out, err = self.execute([*as_user(self.user), str(ROOT / "bin" / "techo"), "run", "-d", str(self.root),
                                         "-c", attack.policy + attack.limits, f"--notify={mode}", "--inspect=off", "--json",
                                         str(program)], {"XDG_STATE_HOME": str(self.home), "PATH": "/usr/bin:/bin"})
        events = [json.loads(line) for line in out.splitlines()]
        of = {kind: [event for event in events if event["kind"] == kind] for kind in ("run", "exit", "output", "usage")}
        if not of["run"] or not of["exit"]:
            return {"error": f"techo ran nothing: {status} {out[-500:]!r} {err!r}", "out": "", "accesses": []}
        shutil.rmtree(self.home / "techo", ignore_errors=True)
        said = ["".join(event.get("bytes", "") for event in of["output"] if event["stream"] == stream) for stream in (1, 2)]
        return {"cell": {**of["run"][-1], "sampled": "cgroup" not in of["run"][-1]["layers"]}, "exit": {"signal": 0, **of["exit"][-1]},
                "usage": of["usage"][-1] if of["usage"] else {}, "out": said[0], "err": said[1], "accesses": []}

    def run(self, attack, mode, more=()):
        if ".py" in attack.program:
            return self.run_python(attack, mode)
        status, out, err = self.execute(self.command(attack, mode, more))
        try:
            return json.loads(out)
        except ValueError:
            return {"error": f"the runner of cells failed: {status} {err!r}", "out": "", "accesses": []}

    def run_bare(self, attack):
        """No cell at all: as a user without rights, in whatever network this process has; only litter is kept off."""
        name, *arguments = attack.program.split()
        (self.root / "out").mkdir()
        os.chown(self.root / "out", NOBODY, NOBODY)
        self.before = self.hashes()
        (self.base / "program").mkdir()
        program = shutil.copy(BUILD / name, self.base / "program")  # the checkout may lie below /tmp
        environment = {**self.environment(), "SELF": program}
        folder = os.open("/", os.O_RDONLY)
        try:
            status, out, err = self.execute([*OWN_TMP, *as_user("nobody"), program, *arguments],
                                            {key: str(value) for key, value in environment.items()},
                                            (folder, self.listeners[0].fileno()),  # as by a careless maker
                                            BARE_PATIENCE)
        except subprocess.TimeoutExpired:
            status, out, err = 0, b"", b""  # somebody holds its output still
        os.close(folder)
        end = {"status": "ok" if status == 0 else "signal" if status < 0 else "error", "signal": max(-status, 0)}
        return {"out": out.decode(), "err": err.decode(), "accesses": [], "exit": end}

    def execute(self, command, env=None, left_open=(), patience=PATIENCE):
        """Runs it from start to end; meanwhile somebody of the host knocks at the port beside the listener's."""
        env = {"HOME": str(self.home), "ATTACK_API_KEY": CANARY, "LD_PRELOAD": "", "SSH_AUTH_SOCK": "/tmp/agent",
               "https_proxy": "http://127.0.0.1:1", **(env or {})}
        knock = ("127.0.0.1", self.listeners[0].getsockname()[1] ^ 1)
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=self.root, env=env, pass_fds=left_open) as process:
            deadline = time.monotonic() + patience
            while True:
                try:
                    out, err = process.communicate(timeout=0.05)
                    return process.returncode, out, err
                except subprocess.TimeoutExpired:
                    if time.monotonic() > deadline:
                        process.kill()
                        raise
                with contextlib.suppress(OSError):
                    socket.create_connection(knock, 0.05).close()
