"""Granted hosts are relayed, all else is refused: tried with real clients, against servers in a namespace of the
tests' own. No packet leaves this machine."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

from conftest import Result
from net_world import BIG, PRIVATE, PRIVATE_V6, PUBLIC, PUBLIC_2, SILENT

PYTHON = "/usr/bin/python3"
MODES = ["answer", "observe"]
HERE = pathlib.Path(__file__).parent
GET = """
import urllib.request
def get(url, **options):
    try:
        with urllib.request.urlopen(url, **options) as answer:
            return answer.read().decode()
    except OSError as error:
        return f"failed: {error}"
"""


class Network:
    """A network and mount namespace with servers and names in it."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="techo-net-"))
        self.folder.chmod(0o755)
        self.process = subprocess.Popen(
            ["unshare", "--net", "--mount", sys.executable, HERE / "net_world.py", self.folder],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.ready = self.process.stdout.readline() == b"ready\n"

    def log(self):
        return (self.folder / "log").read_text(encoding="utf-8").splitlines()

    def start(self, world, *words, **options):
        inside = ["nsenter", f"--target={self.process.pid}", "--net", "--mount", "--"]
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen([*inside, *world.command(words[0], "-d", world.folder, *words[1:])],
                                env=world.environment(), **options)

    def techo(self, world, *words):
        with self.start(world, *words) as process:
            try:
                out, err = process.communicate(timeout=120)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return Result(process.returncode, out, err)

    def exec(self, world, ceiling, *command, mode="answer"):
        return self.techo(world, "exec", "-c", ceiling, f"--notify={mode}", "--", *command)

    def python(self, world, ceiling, text, mode="answer"):
        return self.exec(world, ceiling, PYTHON, "-I", "-c", GET + text, mode=mode)

    def run(self, world, ceiling, text, mode="answer"):
        """techo run, as events."""
        path = world.write("program.py", GET + text)
        return self.techo(world, "run", "-c", ceiling, "--inspect=off", f"--notify={mode}", "--json", path)


@pytest.fixture
def network():
    if os.geteuid() != 0:
        pytest.skip("only root can make a network namespace with addresses and names of its own")
    network = Network()
    if not network.ready:
        why = network.process.communicate(timeout=60)[1].decode()
        shutil.rmtree(network.folder, ignore_errors=True)
        pytest.skip(f"no network namespace can be made here: {why}")
    yield network
    network.process.communicate(timeout=60)
    shutil.rmtree(network.folder, ignore_errors=True)


# ---- real clients ----------------------------------------------------------------------------------------------------

CLIENTS = {
    "urllib": [PYTHON, "-I", "-c", GET + "import sys\nfor url in sys.argv[1:]: print(get(url))"],
    "http.client": [PYTHON, "-I", "-c", """
import http.client, sys, urllib.parse
for url in sys.argv[1:]:
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc)
    try:
        connection.request("GET", "/")
        print(connection.getresponse().read().decode())
    except OSError as error:
        print(f"failed: {error}")
"""],
    "curl": ["sh", "-c", 'for url; do curl -sS "$url" 2>&1 || echo failed; echo; done', "-"],
    "node": ["node", "-e", """
(async () => {
    for (const url of process.argv.slice(1)) {
        await fetch(url).then(r => r.text()).then(console.log, e => console.log("failed", e.cause && e.cause.code));
    }
})()"""],
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("client", CLIENTS)
def test_a_granted_name_is_reached_and_another_is_not(each_user, network, client, mode):
    if not shutil.which(CLIENTS[client][0]):
        pytest.skip(f"{client} is not installed")
    result = network.exec(each_user, "stdout,net=api.test:80,memory=2G", *CLIENTS[client], "http://api.test/",
                          "http://other.test/", mode=mode)
    assert f"hello from {PUBLIC}" in result.out, result.err
    assert "failed" in result.out.split(f"hello from {PUBLIC}")[1]
    assert "denied: connect other.test:80" in result.err
    assert "net=other.test:80 is not granted" in result.err
    assert ("answered, namespaces" if mode == "answer" else "(namespaces)") in result.err
    assert not [line for line in network.log() if line.startswith(PUBLIC_2)]


@pytest.mark.parametrize("mode", MODES)
def test_rows_say_what_was_granted_used_and_refused(each_user, network, mode):
    result = network.run(each_user, "stdout,net=api.test:80", "print(get('http://api.test/'))\n"
                         "print(get('http://api.test/'))\nprint(get('http://other.test:8080/'))", mode)
    row = next(row for row in result.rows() if row["name"] == "net" and row.get("scope") == "api.test:80")
    used = next(event for event in result.kind("used") if event["item"] == row["id"])
    assert (row["state"], used["opens"], used["files"]) == ("granted", 2, 1)
    assert used["bytes"] > 100
    assert row["layers"] == ["namespaces", "supervisor"]
    denial, = result.denials()
    assert (denial["resolved"], denial["missing"]) == ("other.test:8080", "net=other.test:8080")
    assert (denial["call"], denial["layer"]) == ("connect", "namespaces")
    assert bool(denial.get("answered")) == (mode == "answer")
    assert set(result.kind("least")[-1]["text"].split(",")) == {"stdout", "net=api.test:80"}


@pytest.mark.parametrize("mode", MODES)
def test_a_redirect_to_another_host_is_refused(each_user, network, mode):
    result = network.python(each_user, "stdout,net=api.test:80", """
print(get("http://api.test/redirect?to=http://api.test/"))
print(get("http://api.test/redirect?to=http://other.test/"))
""", mode=mode)
    reached, refused = result.out.splitlines()
    assert reached == f"hello from {PUBLIC}", result.err
    assert refused.startswith("failed")
    assert "denied: connect other.test:80" in result.err
    assert not [line for line in network.log() if line.startswith(PUBLIC_2)]


# ---- names and addresses ---------------------------------------------------------------------------------------------


def test_port_and_pattern_are_kept_to(world, network):
    result = network.python(world, "stdout,net=*.wild.test:80,net=API.test.:8080", """
for url in "a.wild.test", "A.WILD.TEST.", "api.test:8080", "wild.test", "a.wild.test:8080", "api.test":
    print(url, get(f"http://{url}/"))
""")
    lines = result.out.splitlines()
    assert [line.endswith(f"hello from {PUBLIC}") for line in lines] == [True] * 3 + [False] * 3, result.out
    for target in ("wild.test:80", "a.wild.test:8080", "api.test:80"):
        assert f"denied: connect {target}" in result.err


def test_any_port_where_none_is_named(world, network):
    result = network.python(world, "stdout,net=api.test", "print(get('http://api.test/'), get('http://api.test:8080/'))")
    assert result.out.split() == ["hello", "from", PUBLIC] * 2, result.err


DRESSES = ["10.77.0.2", "172818434", "0x0a4d0002", "0xa.0x4d.0.2", "012.0115.0.02", "10.77.2", "10.5046274",
           "[::ffff:10.77.0.2]", "[::FFFF:0a4d:0002]"]


@pytest.mark.parametrize("mode", MODES)
def test_an_address_is_that_address_in_every_dress(each_user, network, mode):
    text = f"""
import socket
for dress in {DRESSES}:
    try:
        with socket.create_connection((dress.strip("[]"), 80), 5) as s:
            s.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
            print(s.makefile().read().splitlines()[-1])
    except OSError as error:
        print("failed", error)
"""
    granted = network.python(each_user, f"stdout,net={PRIVATE}:80", text, mode=mode)
    assert granted.out.splitlines() == [f"hello from {PRIVATE}"] * len(DRESSES), granted.err
    before = network.log()
    for ceiling in ("net=10.77.0.3:80", f"net={PRIVATE}:81", "net=*", "net=intra.test"):
        refused = network.python(each_user, f"stdout,{ceiling}", text, mode=mode)
        assert all(line.startswith("failed") for line in refused.out.splitlines()), (ceiling, refused.out)
        assert f"denied: connect {PRIVATE}:80" in refused.err
    assert network.log() == before


def test_an_address_of_ipv6(each_user, network):
    result = network.python(each_user, f"stdout,net=[{PRIVATE_V6}]:80", f"""
print(get("http://[{PRIVATE_V6}]/"))
print(get("http://[fd00:77:0:0::2]:8080/"))
""")
    assert result.out.splitlines()[0] == f"hello from {PRIVATE_V6}", result.err
    assert f"denied: connect [{PRIVATE_V6}]:8080" in result.err


def test_the_address_of_a_granted_name_is_not_granted(world, network):
    result = network.python(world, "stdout,net=api.test", f"print(get('http://{PUBLIC}/'))\nprint(get('http://api.test/'))")
    refused, reached = result.out.splitlines()
    assert refused.startswith("failed") and reached == f"hello from {PUBLIC}"
    assert f"denied: connect {PUBLIC}:80" in result.err


def test_an_address_asked_of_the_name_server_is_an_address(world, network):
    text = f"""
import socket, struct
def ask(name):
    labels = b"".join(bytes([len(part)]) + part for part in name.split(b"."))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.connect(("127.0.0.1", 53))
        s.send(struct.pack(">6H", 7, 0x100, 1, 0, 0, 0) + labels + b"\\0\\0\\1\\0\\1")
        return socket.inet_ntoa(s.recv(512)[-4:])
for name in b"api.test", b"{PUBLIC}", b"0xcb007105", b"api\\0.test", b"api.test/x":
    print(get("http://" + ask(name)))
"""
    lines = network.python(world, "stdout,net=*", text).out.splitlines()
    assert lines[0] == f"hello from {PUBLIC}"
    assert len(lines) == 5 and all(line.startswith("failed") for line in lines[1:])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name, address", [("intra.test", PRIVATE), ("local.test", "127.0.0.1")])
def test_a_name_leads_to_a_private_address_only_if_that_is_granted_too(each_user, network, name, address, mode):
    text = f"print(get('http://{name}/'))"
    before = network.log()
    refused = network.run(each_user, f"stdout,net={name}:80", text, mode)
    assert "failed" in refused.kind("output")[0]["bytes"]
    denial, = refused.denials()
    assert (denial["given"], denial["resolved"]) == (f"{name}:80", f"{address}:80")
    assert (denial["missing"], denial["layer"]) == (f"net={address}:80", "supervisor")
    assert not [line for line in network.log()[len(before):] if line.startswith(address)]
    reached = network.run(each_user, f"stdout,net={name}:80,net={address}:80", text, mode)
    assert f"hello from {address}" in reached.kind("output")[0]["bytes"], reached.err
    least = set(reached.kind("least")[-1]["text"].split(","))
    assert least == {"stdout", f"net={name}:80", f"net={address}:80"}


def test_of_several_addresses_the_private_ones_are_left_out(world, network):
    result = network.python(world, "stdout,net=mixed.test:80", "print(get('http://mixed.test/'))")
    assert result.out.strip() == f"hello from {PUBLIC}", result.err


def test_the_hosts_loopback_only_by_address(each_user, network):
    text = "print(get('http://127.0.0.1:8080/'), get('http://0.0.0.0:8080/'), get('http://localhost:8080/'))"
    closed = network.python(each_user, "stdout,net=*", text)
    assert closed.out.count("failed") == 3
    opened = network.python(each_user, "stdout,net=127.0.0.1:8080", text)
    assert opened.out.count("hello from 127.0.0.1") == 3, opened.err


def test_the_programs_own_server_stays_its_own(world, network):
    result = network.python(world, "stdout,net=127.0.0.1", """
import socket
with socket.create_server(("127.0.0.1", 8080)) as own, socket.create_connection(("127.0.0.1", 8080)) as client:
    connection, _ = own.accept()
    connection.sendall(b"mine")
    print(client.recv(100))
""")
    assert result.out.strip() == "b'mine'", result.err
    assert network.log() == []


def test_names_are_asked_of_the_name_server_once(world, network):
    result = network.python(world, "stdout,net=*.dns.test:80", "for i in range(5): print(get('http://x.dns.test/'))")
    assert result.out.splitlines() == [f"hello from {PUBLIC}"] * 5, result.err
    assert 1 <= network.log().count("asked x.dns.test") <= 2  # for IPv4 and IPv6


def test_names_that_are_not_granted_are_asked_of_nobody(world, network):
    network.python(world, "stdout,net=*.dns.test:80", "get('http://long.secret.label.evil.test/')\nget('http://y.dns.test:81/')")
    assert not [line for line in network.log() if line.startswith("asked")]


# ---- failures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("url, call, error", [("http://api.test:81/", "relay", "ECONNREFUSED"),
                                              ("http://no.such.test/", "resolve", "ECONNRESET")])
def test_a_host_that_is_not_there_is_absent(each_user, network, url, call, error):
    result = network.run(each_user, "stdout,net=*.test", f"print(get('{url}'))")
    assert "failed" in result.kind("output")[0]["bytes"]
    row, = [event for event in result.kind("access") if event["call"] == call]
    assert (row["verdict"], row["errno"]) == ("absent", error)
    assert result.denials() == []


@pytest.mark.parametrize("name", ["silent.test", "silent.dns.test"])
def test_a_slow_host_or_name_stalls_nothing_else(each_user, network, name):
    result = network.python(each_user, "stdout,net=*.test,file.read=./data/*,wall=30s", f"""
import os, socket, threading
def wait():
    with socket.create_connection(("{name}", 80)) as slow:
        slow.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
        asked.set()
        slow.recv(1)
asked = threading.Event()
threading.Thread(target=wait, daemon=True).start()
assert asked.wait()
for i in range(50):
    open("data/sales.csv").read()
for i in range(5):
    print(get("http://api.test/"), get("http://z.dns.test/"), flush=True)
os._exit(0)
""")
    assert result.status == 0, result.err
    assert result.out.splitlines() == [f"hello from {PUBLIC} hello from {PUBLIC}"] * 5, result.err


def test_a_program_that_does_not_block_is_not_held(world, network):
    result = network.python(world, "stdout,net=*.test", """
import selectors, socket
waiting = selectors.DefaultSelector()
for i in range(10):
    s = socket.socket()
    s.setblocking(False)
    print(s.connect_ex((socket.gethostbyname("silent.test"), 80)) in (0, 115))
    waiting.register(s, selectors.EVENT_READ)
print(get("http://api.test/"), waiting.select(0))
""")
    assert result.out.splitlines() == ["True"] * 10 + [f"hello from {PUBLIC} []"], result.err


# ---- bytes -----------------------------------------------------------------------------------------------------------


def test_many_bytes_both_ways_and_their_count(each_user, network):
    result = network.run(each_user, "stdout,net=api.test:80", f"""
import hashlib
data = bytes(range(251)) * ({BIG} // 251)
up = get("http://api.test/", data=data)
with urllib.request.urlopen("http://api.test/big") as answer:
    down = answer.read()
print(up == hashlib.sha256(data).hexdigest(), down == bytes(range(256)) * ({BIG} // 256))
""")
    assert result.kind("output")[0]["bytes"] == "True True\n", result.err
    item = next(row["id"] for row in result.rows() if row["name"] == "net")
    used = next(event for event in result.kind("used") if event["item"] == item)
    assert 2 * BIG - 251 < used["bytes"] < 2 * BIG + 10000


def test_what_was_sent_is_delivered_after_the_end(each_user, network):
    result = network.python(each_user, "stdout,net=api.test:9000", f"""
import os, socket
s = socket.create_connection(("api.test", 9000))
s.sendall(b"x" * {BIG})
os._exit(0)
""")
    assert result.status == 0, result.err
    assert network.process.stdout.readline() == f"sink {BIG}\n".encode()


def test_either_side_may_end_first(world, network):
    result = network.python(world, "stdout,net=api.test:80", """
import socket
with socket.create_connection(("api.test", 80)) as s:
    s.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
    s.shutdown(socket.SHUT_WR)
    print(s.makefile().read().splitlines()[-1])
""")
    assert result.out.strip() == f"hello from {PUBLIC}", result.err


def test_many_connections_wait_and_are_all_served(world, network):
    result = network.python(world, "stdout,net=api.test:80,wall=60s", """
import socket
address = socket.gethostbyname("api.test")
for i in range(250):
    with socket.create_connection((address, 80)) as s:
        s.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
        assert s.recv(4) == b"HTTP"
many = [socket.create_connection((address, 80)) for i in range(100)]
for s in many:
    s.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
for s in many:
    assert s.makefile().read().endswith("203.0.113.5"), s
    s.close()
print("all")
""")
    assert result.out.strip() == "all", result.err


# ---- ways around -----------------------------------------------------------------------------------------------------

AROUND = f"""
import socket
granted, other = socket.gethostbyname("api.test"), ("{PUBLIC_2}", 80)
def tell(name, action):
    try:
        print(name, action())
    except OSError as error:
        print(name, "failed", error.strerror)
def fast_open():
    with socket.socket() as s:
        return s.sendto(b"GET / HTTP/1.0\\r\\n\\r\\n", 0x20000000, other)
def option():
    with socket.socket() as s:
        return s.setsockopt(socket.IPPROTO_TCP, 30, 1)
def aim_again(unspecified=True):
    import ctypes
    with socket.create_connection((granted, 80)) as s:
        if unspecified:
            assert ctypes.CDLL(None).connect(s.fileno(), b"\\0" * 16, 16) == 0
        s.connect(other)
        return "connected"
def after_failure():
    s = socket.socket()
    s.setblocking(False)
    s.connect_ex((granted, 1))
    return s.sendto(b"x", 0x20000000, other)
def listens():
    with socket.create_server(("0.0.0.0", 4444)) as s:
        return "own"
tell("control", lambda: get("http://api.test/"))
tell("fast open", fast_open)
tell("option", option)
tell("aim again", aim_again)
tell("connected", lambda: aim_again(False))
tell("after failure", after_failure)
tell("listens", listens)
tell("other", lambda: socket.create_connection(other))
"""


@pytest.mark.parametrize("mode", MODES)
def test_a_relayed_socket_cannot_be_aimed_elsewhere(each_user, network, mode):
    result = network.python(each_user, "stdout,net=api.test:80", AROUND, mode=mode)
    told = dict(line.split(" failed", 1) if " failed" in line else (line, None) for line in result.out.splitlines())
    assert {"fast open", "option", "aim again", "connected", "after failure", "other"} <= told.keys(), result.out
    assert f"control hello from {PUBLIC}" in told and "listens own" in told
    assert not [line for line in network.log() if line.startswith(PUBLIC_2)]
    assert f"denied: connect {PUBLIC_2}:80" in result.err


def test_datagrams_are_not_relayed(each_user, network):
    result = network.run(each_user, "stdout,net=api.test:9001", """
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
    s.sendto(b"x", (socket.gethostbyname("api.test"), 9001))
    s.connect((socket.gethostbyname("api.test"), 9001))
print("sent")
""")
    assert result.kind("output")[0]["bytes"] == "sent\n"
    assert "datagram 9001" not in network.log()
    verdicts = {event["call"]: event["verdict"] for event in result.kind("access") if "9001" in event["resolved"]}
    assert verdicts == {"sendto": "absent", "connect": "absent"}


def test_the_resolver_has_no_rights_and_ends_with_the_run(each_user, network):
    process = network.start(each_user, "exec", "-c", "stdout,net=silent.dns.test", "--", PYTHON, "-I", "-c", """
import socket
s = socket.create_connection(("silent.dns.test", 80))
print("connected", flush=True)
s.recv(1)
""")
    assert process.stdout.readline() == b"connected\n"
    helper = None
    while helper is None:  # it is started for the name that was connected to
        assert process.poll() is None
        for path in pathlib.Path("/proc").glob("[0-9]*/status"):
            try:
                status = path.read_text(encoding="utf-8")
                descends = f"\nPPid:\t{process.pid}\n" in status and status.startswith("Name:\tresolve\n")
                if descends and "NoNewPrivs:\t1" in status:
                    helper = path.parent
            except OSError:
                pass
    fields = dict(line.split(":\t", 1) for line in (helper / "status").read_text(encoding="utf-8").splitlines())
    assert fields["Uid"].split() == ["65534"] * 4 and fields["Gid"].split() == ["65534"] * 4
    for kind in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
        assert int(fields[kind], 16) == 0
    assert (helper / "environ").read_bytes() == b""
    assert sorted(os.listdir(helper / "fd"))[:3] == ["0", "1", "2"]
    process.terminate()
    process.communicate(timeout=60)
    assert not helper.exists()


# ---- asked for -------------------------------------------------------------------------------------------------------


def ask(network, world, answer, *command, mode="answer", ceiling="stdout,net=?,memory=2G"):
    return network.techo(world, "exec", "-c", ceiling, f"--notify={mode}", f"--answer={answer}", "--", *command)


def ask_program(network, world, text, head=""):
    path = world.write("program.py", head + GET + text)
    return network.techo(world, "run", "-c", "stdout,net=?", "--inspect=off", "--answer=once", "--json", path)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("client", CLIENTS)
def test_a_person_allows_a_host_when_it_is_touched(each_user, network, client, mode):
    if not shutil.which(CLIENTS[client][0]):
        pytest.skip(f"{client} is not installed")
    result = ask(network, each_user, "once", *CLIENTS[client], "http://api.test/", "http://api.test/", mode=mode)
    assert result.out.count(f"hello from {PUBLIC}") == 2, result.err
    assert "denied: connect" not in result.err


@pytest.mark.parametrize("mode", MODES)
def test_a_host_that_is_not_allowed_is_not_reached(each_user, network, mode):
    before = len(network.log())
    result = ask(network, each_user, "deny", PYTHON, "-I", "-c", GET + "print(get('http://api.test/'))", mode=mode)
    assert result.out.startswith("failed")
    assert "denied: connect api.test:80" in result.err
    assert len(network.log()) == before


def test_a_name_that_was_allowed_opens_no_private_address(each_user, network):
    result = ask(network, each_user, "once", PYTHON, "-I", "-c", GET + "print(get('http://intra.test/'))")
    assert result.out.startswith("failed"), result.out
    assert not [line for line in network.log() if line.startswith(PRIVATE)]
    result = ask(network, each_user, "once", PYTHON, "-I", "-c", GET + f"print(get('http://{PRIVATE}/'))")
    assert f"hello from {PRIVATE}" in result.out  # that address itself was shown, and allowed


def test_each_host_and_port_is_a_question_of_its_own(each_user, network):
    result = ask_program(network, each_user, "print(get('http://api.test/'))\nprint(get('http://other.test/'))\n")
    rows = [row for row in result.rows() if row["name"] == "net" and row["origin"] == "tried"]
    assert [(row["scope"], row["state"]) for row in rows] == [("api.test:80", "granted"), ("other.test:80", "granted")]
    assert [decision["choice"] for decision in result.kind("decision")] == ["once", "once"]
    assert result.kind("least")[0]["text"] == "stdout,net=api.test:80,net=other.test:80"


def test_a_program_that_declares_a_host_is_asked_for_that_one(each_user, network):
    result = ask_program(network, each_user, "print(get('http://api.test/'))\nprint(get('http://other.test/'))\n",
                         "# require net(\"api.test:80\")\n# require stdout\n")
    assert len(result.kind("decision")) == 1
    assert result.denials()[0]["resolved"] == "other.test:80"


# ---- ceilings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ceiling, why", [
    ("net=münchen.test", "give the name's xn-- form"),
    ("net=api.test:https", "a port is a number from 1 to 65535"),
    ("net=api.test:0", "a port is a number from 1 to 65535"),
    ("net=api.test:65536", "a port is a number from 1 to 65535"),
    ("net=:80", "names no host"),
    ("net=a b.test", "names no host"),
])
def test_a_ceiling_that_names_no_host_is_refused(world, ceiling, why):
    result = world.techo("exec", "-c", f"stdout,{ceiling}", "--", "true")
    assert result.status == 125
    assert why in result.err
