"""The other side of tests/e2e/test_net.py, started in a network and mount namespace of its own: it gives that
namespace addresses, servers and names, and writes down every connection that is made to it.

    net_world.py FOLDER     prints "ready" when all is there, and "sink N" when N bytes have come to an end at port 9000;
                            ends with its standard input
"""
import hashlib
import http.server
import pathlib
import socket
import struct
import subprocess
import sys
import threading
import urllib.parse

PUBLIC, PUBLIC_2, PRIVATE, PRIVATE_V6 = "203.0.113.5", "203.0.113.6", "10.77.0.2", "fd00:77::2"
SILENT = "198.51.100.9"  # takes packets and never answers
BIG = 3 << 20

HOSTS = f"""127.0.0.1 localhost local.test
{PUBLIC} api.test wild.test a.wild.test
{PUBLIC_2} other.test
{PRIVATE} intra.test
{PRIVATE} mixed.test
{PUBLIC} mixed.test
{SILENT} silent.test
"""


def log(text):
    with open(FOLDER / "log", "a", encoding="utf-8") as file:
        file.write(text + "\n")


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, body, status=200, **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path = urllib.parse.urlsplit(self.path)
        if path.path == "/redirect":
            self.answer(b"", 302, Location=urllib.parse.parse_qs(path.query)["to"][0])
        elif path.path == "/big":
            self.answer(bytes(range(256)) * (BIG // 256))
        else:
            self.answer(f"hello from {self.connection.getsockname()[0].removeprefix('::ffff:')}".encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(hashlib.sha256(body).hexdigest().encode())

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6
    request_queue_size = 512

    def get_request(self):
        connection, peer = super().get_request()
        host, port = connection.getsockname()[:2]
        log(f"{host.removeprefix('::ffff:')} {port}")
        return connection, peer


def sink(port):
    """Takes what is sent and says how much it was."""
    with socket.create_server(("0.0.0.0", port)) as server:
        while True:
            connection, _ = server.accept()
            with connection:
                total = 0
                while data := connection.recv(1 << 16):
                    total += len(data)
                print(f"sink {total}", flush=True)


def datagrams(port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("0.0.0.0", port))
        while True:
            server.recvfrom(2048)
            log(f"datagram {port}")


def names():
    """A name server: below dns.test all lead to PUBLIC, but silent.dns.test never gets an answer."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 53))
        while True:
            query, peer = server.recvfrom(2048)
            labels, at = [], 12
            while query[at]:
                labels.append(query[at + 1:at + 1 + query[at]].decode("latin-1"))
                at += query[at] + 1
            name, question, kind = ".".join(labels), query[12:at + 5], query[at + 1:at + 3]
            log(f"asked {name}")
            known = name.endswith(".dns.test")
            if name == "silent.dns.test":
                continue
            head = query[:2] + struct.pack(">5H", 0x8180 if known else 0x8183, 1, known and kind == b"\0\1", 0, 0)
            answer = b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4" + socket.inet_aton(PUBLIC)
            server.sendto(head + question + (answer if known and kind == b"\0\1" else b""), peer)


def prepare():
    commands = [f"ip addr add {address}/32 dev lo" for address in (PUBLIC, PUBLIC_2, PRIVATE)]
    commands += ["ip link set lo up", f"ip -6 addr add {PRIVATE_V6}/128 dev lo",
                 "ip link add silent0 type veth peer name silent1", "ip link set silent1 up", "ip link set silent0 up",
                 "ip addr add 198.51.100.1/24 dev silent0",
                 f"ip neigh add {SILENT} lladdr 02:00:00:00:00:01 dev silent0",
                 f"mount --bind {FOLDER}/hosts /etc/hosts", f"mount --bind {FOLDER}/resolv.conf /etc/resolv.conf"]
    (FOLDER / "hosts").write_text(HOSTS, encoding="utf-8")
    (FOLDER / "resolv.conf").write_text("nameserver 127.0.0.1\noptions timeout:60 attempts:1\n", encoding="utf-8")
    (FOLDER / "log").touch()
    for command in commands:
        subprocess.run(command.split(), check=True)


FOLDER = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else None

if __name__ == "__main__":
    prepare()
    for port in (80, 8080):
        server = Server(("::", port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
    for work, arguments in ((names, ()), (sink, (9000,)), (datagrams, (9001,))):
        threading.Thread(target=work, args=arguments, daemon=True).start()
    print("ready", flush=True)
    sys.stdin.read()
