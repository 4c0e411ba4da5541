"""Ask (`file.read=?`): the first touch of a file is held until somebody decides, and it alone comes into view on yes."""
import os

import pytest

from conftest import SECRET

MODES = ["answer", "observe"]
PYTHON = "/usr/bin/python3"
CEILING = "stdout,file.read=./data/*,file.read=?"
TOUCH = (
    "import os\n"
    "def attempt(f, *a):\n"
    "    try: return f(*a)\n"
    "    except OSError as error: return type(error).__name__\n"
)


@pytest.fixture(params=MODES)
def mode(request):
    return request.param


def python(world, text, answer=None, ceiling=CEILING, mode="answer", env=None):
    options = [f"--answer={answer}"] if answer else []
    return world.techo("exec", "-c", ceiling, f"--notify={mode}", *options, "--", PYTHON, "-I", "-c", TOUCH + text, env=env)


# ---- the answers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [None, "deny", "never"])
def test_no_is_the_default(each_user, answer, mode):
    result = python(each_user, "print(attempt(open, 'notes.txt'), os.path.exists('notes.txt'))", answer, mode=mode)
    assert result.out == {"answer": "PermissionError", "observe": "FileNotFoundError"}[mode] + " False\n"
    assert "denied: read ./notes.txt" in result.err


@pytest.mark.parametrize("answer", ["once", "session"])
def test_yes_lets_the_first_touch_go_on(each_user, answer, mode):
    touches = ["open('notes.txt').read()", "os.stat('notes.txt').st_size", "os.access('notes.txt', os.R_OK)",
               "os.path.exists('notes.txt')", f"open('{each_user.folder}/notes.txt').read()",
               "open('data/../notes.txt').read()"]
    for touch in touches:
        result = python(each_user, f"print({touch}, end='')", answer, mode=mode)
        assert (result.status, result.err) == (0, ""), touch
        assert result.out in ("only notes\n", "11", "True"), touch


def test_what_is_granted_is_not_asked_for(each_user, mode):
    result = python(each_user, "print(len(open('data/sales.csv').read()))", "deny", mode=mode)
    assert (result.status, result.out, result.err) == (0, "27\n", "")


def test_only_that_file_comes_into_view_and_read_only(each_user, mode):
    text = (
        "print(open('notes.txt').read(), end='')\n"
        "print(sorted(os.listdir('.')))\n"
        "for f in [lambda: open('notes.txt', 'a'), lambda: os.chmod('notes.txt', 0o777), lambda: os.remove('notes.txt'),\n"
        "          lambda: os.open('/proc/self/fd/%d' % os.open('notes.txt', os.O_RDONLY), os.O_RDWR),\n"
        "          lambda: os.fchmod(os.open('notes.txt', os.O_RDONLY), 0o777),\n"
        "          lambda: os.utime('notes.txt'), lambda: os.rename('notes.txt', 'data/x')]:\n"
        "    assert attempt(f) in ('PermissionError', 'OSError'), attempt(f)\n"
        "print('kept out')"
    )
    path = each_user.folder / "notes.txt"
    before = path.stat()
    result = python(each_user, text, "once", mode=mode)
    assert result.out == "only notes\n['data', 'notes.txt', 'out']\nkept out\n"
    assert (path.read_text(), path.stat().st_mode, path.stat().st_mtime_ns) == ("only notes\n", before.st_mode, before.st_mtime_ns)


def test_every_way_to_read_works_after_a_yes(each_user, mode):
    text = (
        "import mmap\n"
        "fd = os.open('notes.txt', os.O_RDONLY)\n"
        "print(mmap.mmap(fd, 0, prot=mmap.PROT_READ)[:4], open('/proc/self/fd/%d' % fd).read(4), open('notes.txt').read(4))"
    )
    result = python(each_user, text, "once", mode=mode)
    assert result.out == "b'only' only only\n"


def test_regular_files_only(each_user, mode):
    os.mkfifo(each_user.folder / "pipe")
    (each_user.folder / "hidden").mkdir()
    each_user.write("hidden/x", "x")
    text = (
        "for name in ['pipe', 'hidden', '/dev/kmsg', '/proc/1/environ', '/proc/cmdline', '/sys/kernel/notes', 'nothing']:\n"
        "    print(attempt(lambda: os.listdir(name) if name == 'hidden' else os.open(name, os.O_RDONLY | os.O_NONBLOCK)))\n"
    )
    result = python(each_user, text, "once", mode=mode)
    assert set(result.out.split()) <= {"PermissionError", "FileNotFoundError"}
    assert len(result.out.split()) == 7


def test_a_missing_file_and_one_that_is_refused_look_the_same(each_user):
    """No oracle: what the program is told does not depend on what the host has."""
    text = "print([attempt(open, name) for name in ('notes.txt', 'nothing', '/etc/hostname', '/etc/nothing')])"
    assert set(eval(python(each_user, text, "deny").out)) == {"PermissionError"}


def test_the_link_that_is_asked_for_shows_its_file(each_user, mode):
    os.symlink("notes.txt", each_user.folder / "link")
    result = python(each_user, "print(open('link').read(), attempt(os.readlink, 'link'))", "once", mode=mode)
    assert result.out.startswith("only notes\n")


def test_our_own_folders_are_not_even_asked_for(each_user, mode):
    assert each_user.run("print(1)").status == 0
    path = each_user.sessions()[0]
    result = python(each_user, f"print(attempt(open, '{path}'))", "once", mode=mode)
    assert result.out.strip() in ("PermissionError", "FileNotFoundError")


def test_many_asks_are_bounded(each_user, mode):
    for i in range(40):
        each_user.write(f"many-{i}", "x")
    text = "print(sum(attempt(open, f'many-{i}') in ('PermissionError', 'FileNotFoundError') for i in range(40)))"
    result = python(each_user, text, "once", mode=mode)
    assert result.status == 0
    assert int(result.out) >= 30


def test_threads_that_touch_at_once_are_all_answered(each_user, mode):
    text = (
        "import threading\n"
        "got = []\n"
        "def read(): got.append(open('notes.txt').read())\n"
        "threads = [threading.Thread(target=read) for _ in range(8)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]\n"
        "print(len(got), set(got))"
    )
    assert python(each_user, text, "once", mode=mode).out == "8 {'only notes\\n'}\n"


# ---- what is told ----------------------------------------------------------------------------------------------------

PROGRAM = "import os\nos.path.exists('notes.txt')\nprint(len(open('notes.txt').read()))\n"


@pytest.mark.parametrize("answer, state, status", [("deny", "denied", "denied"), ("once", "granted", "ok"),
                                                   ("session", "granted", "ok"), ("never", "denied", "denied")])
def test_held_decided_and_what_came_of_it(each_user, answer, state, status):
    result = each_user.run(PROGRAM, "-c", "stdout,file.read=?", f"--answer={answer}")
    rows = [event for event in result.kind("permission") if event.get("scope") == "./notes.txt"]
    assert [row["state"] for row in rows] == ["held", state]
    assert "11 B" in rows[0]["why"]
    (decision,) = result.kind("decision")
    assert (decision["of"], decision["choice"], decision["by"]) == (rows[0]["id"], answer, "--answer")
    assert result.kind("exit")[0]["status"] == status
    if state == "granted":
        assert result.kind("least")[0]["text"] == "stdout,file.read=./notes.txt"
        assert [access["verdict"] for access in result.kind("access") if access["resolved"].endswith("notes.txt")] == ["allowed"]
    else:
        assert all("nobody allowed it" in denial["why"] for denial in result.denials())


def test_a_program_that_declares_is_asked_for_just_that(each_user):
    each_user.write("other.txt", "other")
    program = (
        '# require file.read("./notes.txt")\n# require stdout\nprint(open("notes.txt").read())\n'
        'try: open("other.txt")\nexcept OSError: print("refused")\n'
    )
    result = each_user.run(program, "-c", "stdout,file.read=?", "--answer=once", "--inspect=off")
    assert [row["scope"] for row in result.rows() if row["state"] == "granted" and row["name"] == "file.read"] == ["./notes.txt"]
    assert "".join(event["bytes"] for event in result.kind("output")) == "only notes\n\nrefused\n"
    assert len(result.kind("decision")) == 1


def test_a_link_to_a_secret_says_where_it_leads(each_user):
    os.symlink(".env", each_user.folder / "harmless.txt")
    result = each_user.run("open('harmless.txt')", "-c", "stdout,file.read=?", "--answer=deny", "--inspect=off")
    row = [event for event in result.kind("permission") if event.get("scope") == "./harmless.txt"][0]
    assert row["why"].endswith(f"it really is {each_user.folder.resolve()}/.env")
    assert SECRET not in result.out


def test_only_a_ceiling_can_ask(each_user):
    result = each_user.run("# require file.read=?\nopen('notes.txt')", "-c", "stdout,file.read=?", "--answer=once",
                           "--inspect=off")
    assert result.kind("decision") == []
    assert result.kind("exit")[0]["status"] == "denied"
