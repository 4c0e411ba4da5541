# A server inside the cell is reached: sockets as such work.
import socket
import threading

server = socket.create_server(("127.0.0.1", 0))
received = []


def serve():
    connection, _ = server.accept()
    with connection:
        received.append(connection.recv(100))


thread = threading.Thread(target=serve)
thread.start()
with socket.create_connection(server.getsockname(), timeout=5) as connection:
    connection.sendall(b"hello")
thread.join()
server.close()
assert received == [b"hello"], received

print("control: ok")
