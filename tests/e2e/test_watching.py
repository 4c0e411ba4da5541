"""The watcher against programs that play with it: it never hangs, never lets through, never names what was not tried."""
import pytest

PYTHON = "/usr/bin/python3"
MODES = ["answer", "observe"]
OPENAT = """
import ctypes, errno, mmap, os
libc = ctypes.CDLL(None, use_errno=True)
def openat(folder, path):
    return "opened" if libc.syscall(257, folder, path, 0) >= 0 else errno.errorcode[ctypes.get_errno()]
"""


def run(world, text, mode="answer", ceiling="stdout"):
    return world.techo("exec", "-c", f"{ceiling},wall=60s", f"--notify={mode}", "--", PYTHON, "-I", "-c", text)


@pytest.mark.parametrize("mode", MODES)
def test_arguments_that_make_no_sense_get_the_kernels_own_answer(each_user, mode):
    result = run(each_user, OPENAT + """
print(openat(-100, None), openat(-100, ctypes.c_void_p(8)), openat(-100, b"/" + b"a" * 5000), openat(77, b"x"))
print(openat(-100, b"/tmp/" + b"a/" * 1500), openat(-100, b""))
""", mode)
    assert (result.status, result.err) == (0, "")
    assert result.out.split() == ["EFAULT", "EFAULT", "ENAMETOOLONG", "EBADF", "ENOENT", "ENOENT"]


@pytest.mark.parametrize("mode", MODES)
def test_a_path_that_ends_with_its_page_is_read_whole(each_user, mode):
    result = run(each_user, OPENAT + """
pages = mmap.mmap(-1, 8192, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
libc.mprotect(ctypes.c_void_p(start + 4096), 4096, 0)
text = b"/etc/shadow\\0"
ctypes.memmove(start + 4096 - len(text), text, len(text))
print(openat(-100, ctypes.c_void_p(start + 4096 - len(text))))
ctypes.memmove(start + 4096 - 5, b"/etc/", 5)
print(openat(-100, ctypes.c_void_p(start + 4096 - 5)))
""", mode)
    assert result.out.split() == ["EACCES" if mode == "answer" else "ENOENT", "EFAULT"]
    assert result.err.count("denied: ") == 1
    assert "denied: read /etc/shadow" in result.err


LINKS = """
import os
def link(name, to):
    os.symlink(to, f"/tmp/{name}")
    try:
        open(f"/tmp/{name}/etc/shadow" if to == "/" else f"/tmp/{name}")
    except OSError as error:
        return error.errno
print(link("plain", "/etc/shadow"), link("root", "/"), link("up", "../../../../../etc/shadow"), link("twice", "plain"))
"""


@pytest.mark.parametrize("mode", MODES)
def test_links_lead_nowhere_else_and_the_row_names_what_they_meant(each_user, mode):
    result = run(each_user, LINKS, mode)
    assert result.out.split() == ["13" if mode == "answer" else "2"] * 4
    assert result.err.count("denied: ") == 1  # one file, four ways
    assert "denied: read /etc/shadow" in result.err


def test_chains_and_loops_of_links_end(each_user):
    result = run(each_user, """
import errno, os
open("/tmp/l0", "w").close()
for number in range(1, 60):
    os.symlink(f"/tmp/l{number - 1}", f"/tmp/l{number}")
os.symlink("/tmp/loop", "/tmp/loop")
open("/tmp/l15")  # a walk that the kernel begins anew counts its links twice
for path in ("/tmp/l59", "/tmp/loop", "/tmp/loop/x"):
    try:
        open(path)
    except OSError as error:
        print(errno.errorcode[error.errno])
""")
    assert (result.status, result.out, result.err) == (0, "ELOOP\n" * 3, "")


@pytest.mark.parametrize("mode", MODES)
def test_a_path_that_is_changed_while_it_is_judged_opens_nothing_outside(each_user, mode):
    result = run(each_user, OPENAT + """
import threading
path, done = ctypes.create_string_buffer(64), False
def flip():
    while not done:
        ctypes.memmove(path, b"/etc/shadow\\0", 12)
        ctypes.memmove(path, b"/usr/bin/env\\0", 13)
thread = threading.Thread(target=flip)
thread.start()
opened = set()
for _ in range(20000):
    fd = libc.syscall(257, -100, path, 0)
    if fd >= 0:
        opened.add(os.readlink(f"/proc/self/fd/{fd}"))
        os.close(fd)
done = True
thread.join()
print(sorted(opened))
""", mode)
    assert result.status == 0, result.err
    assert result.out in ("['/usr/bin/env']\n", "[]\n")


def test_processes_that_die_while_they_are_judged_hold_nothing_up(each_user):
    result = run(each_user, """
import os, signal
for _ in range(100):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, b"x")
        while True:
            try: open("/etc/shadow")
            except OSError: pass
    os.read(reader, 1)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reader), os.close(writer)
print("done")
""")
    assert (result.status, result.out) == (0, "done\n"), result.err


def test_rows_are_bounded(each_user):
    result = run(each_user, """
for number in range(3000):
    try: open(f"/nowhere/{number}")
    except OSError: pass
print("done")
""")
    assert (result.status, result.out) == (0, "done\n")
    assert result.err.count("denied: ") == 1000
