"""Files outside ./out: what may be written, what is carried over to the host, and what never is."""
import os
import stat

import pytest

MODES = ["answer", "observe"]
PYTHON = "/usr/bin/python3"
FOLDER = "stdout,file.read=./data/*,file.write=./results/*"


@pytest.fixture(params=MODES)
def mode(request):
    return request.param


def python(world, text, ceiling=FOLDER, *options, mode="answer"):
    return world.techo("exec", "-c", ceiling, f"--notify={mode}", *options, "--", PYTHON, "-I", "-c", text)


def put(world, name, text="old\n"):
    path = world.folder / name
    for folder in reversed(path.relative_to(world.folder).parents):
        if not (world.folder / folder).exists():
            (world.folder / folder).mkdir()
            world.own(world.folder / folder)
    return world.write(name, text)


def tree(folder):
    """All paths below, with the content of files."""
    return {
        str(path.relative_to(folder)): None if path.is_dir() else path.read_text()
        for path in sorted(folder.rglob("*"))
    }


# ---- what may be written ---------------------------------------------------------------------------------------------


def test_a_folder_is_written_when_the_run_ends_well(each_user, mode):
    put(each_user, "results/old.txt")
    put(each_user, "results/gone.txt")
    result = python(
        each_user,
        "import os\n"
        "open('results/new.txt', 'w').write('new')\n"
        "open('results/old.txt', 'a').write('more')\n"
        "os.remove('results/gone.txt'); os.makedirs('results/a/b'); open('results/a/b/c', 'w').write('deep')\n"
        "print(open('results/old.txt').read())",
        mode=mode,
    )
    assert (result.status, result.out, result.err) == (0, "old\nmore\n", "")
    assert tree(each_user.folder / "results") == {
        "a": None, "a/b": None, "a/b/c": "deep", "new.txt": "new", "old.txt": "old\nmore",
    }


@pytest.mark.parametrize("end", ["raise SystemExit(3)", "import os; os.kill(os.getpid(), 9)", "while True: pass"])
def test_a_run_that_does_not_end_well_leaves_nothing(each_user, end, mode):
    put(each_user, "results/old.txt")
    text = "import os; open('results/new', 'w').write('x'); os.remove('results/old.txt')\n" + end
    result = python(each_user, text, FOLDER + ",wall=3s", mode=mode)
    assert result.status != 0
    assert tree(each_user.folder / "results") == {"old.txt": "old\n"}


def test_one_file_is_written_and_nothing_beside_it(each_user, mode):
    put(each_user, "report.csv")
    result = python(
        each_user,
        "open('report.csv', 'w').write('mine')\n"
        "try: open('other.csv', 'w')\n"
        "except OSError as error: print(type(error).__name__)",
        "stdout,file.write=./report.csv",
        mode=mode,
    )
    assert result.status == 0
    assert (each_user.folder / "report.csv").read_text() == "mine"
    assert not (each_user.folder / "other.csv").exists()
    assert "denied: write ./other.csv" in result.err


@pytest.mark.parametrize("scope", ["./report.csv", "./new/deep/report.csv", "./new/*", "./new/deep/*"])
def test_what_does_not_exist_yet_may_be_granted(each_user, scope, mode):
    name = scope.replace("*", "report.csv")
    result = python(each_user, f"open('{name}', 'w').write('made')", f"file.write={scope}", mode=mode)
    assert (result.status, result.err) == (0, "")
    assert (each_user.folder / name).read_text() == "made"
    untouched = each_user.techo("exec", "-c", "file.write=./idle/x,file.write=./idle.csv", "--", "true")
    assert untouched.status == 0
    assert not (each_user.folder / "idle").exists() and not (each_user.folder / "idle.csv").exists()


def test_the_root_itself_may_be_written_and_keeps_its_own_out(each_user, mode):
    put(each_user, "out/hosts.txt", "host's")
    result = python(
        each_user,
        "import os; print(os.listdir('out')); open('out/artifact', 'w').write('x'); open('top.txt', 'w').write('y')",
        "stdout,file.write=./*",
        mode=mode,
    )
    assert (result.status, result.out) == (0, "[]\n")
    assert (each_user.folder / "top.txt").read_text() == "y"
    assert tree(each_user.folder / "out") == {"hosts.txt": "host's"}


def test_write_holds_where_read_is_granted_too(each_user, mode):
    put(each_user, "data/made/x")
    text = (
        "open('data/made/x', 'w').write('changed')\n"
        "try: open('data/sales.csv', 'w')\n"
        "except OSError: print('refused')"
    )
    result = python(each_user, text, "stdout,file.read=./*,file.write=./data/made/*", mode=mode)
    assert (result.status, result.out) == (0, "refused\n")
    assert (each_user.folder / "data/made/x").read_text() == "changed"
    assert "Norte" in (each_user.folder / "data/sales.csv").read_text()


def test_a_write_grant_is_no_right_to_delete_elsewhere(each_user, mode):
    text = (
        "import os\n"
        "for name in ['data/sales.csv', 'data', 'results']:\n"
        "    try: (os.remove if name.endswith('csv') else os.rmdir)(name)\n"
        "    except OSError: print('refused')"
    )
    put(each_user, "results/x")
    assert python(each_user, text, mode=mode).out == "refused\n" * 3
    assert (each_user.folder / "data/sales.csv").exists() and (each_user.folder / "results/x").exists()


@pytest.mark.parametrize(
    "scope, why",
    [("./*.csv", "is a pattern"), ("./.git/*", "other programs trust"), ("./.bashrc", "other programs trust"),
     ("./link", "symbolic link"), ("./folder-link/x", "symbolic link"), ("./pipe", "no regular file"),
     ("/", "every file of this machine")],
)
def test_what_no_ceiling_can_grant_to_write(each_user, scope, why):
    os.symlink("data/sales.csv", each_user.folder / "link")
    os.symlink("data", each_user.folder / "folder-link")
    os.mkfifo(each_user.folder / "pipe")
    result = each_user.techo("exec", "-c", f"file.write={scope}", "--", "true")
    assert result.status in (125, 126)
    assert why in result.err
    assert result.err.count("\n") == 1


def test_the_private_file_system_bounds_what_is_written(each_user, mode):
    put(each_user, "results/x")
    text = "open('results/big', 'wb').write(bytes(8 << 20))"
    result = python(each_user, text, FOLDER + ",disk=1M", mode=mode)
    assert result.status == 123
    assert tree(each_user.folder / "results") == {"x": "old\n"}


# ---- carrying over ---------------------------------------------------------------------------------------------------


def test_each_path_is_told(each_user):
    put(each_user, "results/old.txt")
    put(each_user, "results/gone.txt")
    program = (
        "import os\nopen('results/new.txt', 'w').write('12')\nopen('results/old.txt', 'w').write('345')\n"
        "os.remove('results/gone.txt')\nos.mkdir('results/sub')\nos.symlink('/etc/passwd', 'results/link')\n"
    )
    result = each_user.run(program, "-c", FOLDER, "--inspect=off")
    told = {(event["what"], event["path"], event.get("size")) for event in result.kind("effect")}
    assert told == {
        ("created", "./results/new.txt", 2), ("changed", "./results/old.txt", 3), ("removed", "./results/gone.txt", None),
        ("folder", "./results/sub", None), ("refused", "./results/link", None),
    }
    end = result.kind("exit")[0]
    assert end["status"] == "ok"
    assert "1 of its changes is not written" in end["message"] and "symbolic link" in end["message"]


def test_mode_and_owner_of_a_file_are_kept(each_user):
    path = put(each_user, "results/run.sh")
    path.chmod(0o4751)
    before = path.stat()
    assert python(each_user, "open('results/run.sh', 'w').write('x')").status == 0
    after = path.stat()
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)
    assert stat.S_IMODE(after.st_mode) == 0o751  # a set-user-id bit does not pass to another content


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_as_root_a_new_file_belongs_to_the_folders_owner(world):
    put(world, "results/x")
    os.chown(world.folder / "results", 1234, 1234)
    os.chown(world.folder / "results/x", 1234, 1234)
    text = "import os; open('results/new', 'w'); os.mkdir('results/sub'); open('results/x', 'w')"
    assert python(world, text).status == 0
    status = {name: (world.folder / "results" / name).stat() for name in ("new", "sub", "x")}
    owners = {name: (info.st_uid, info.st_gid) for name, info in status.items()}
    assert owners == {"new": (1234, 1234), "sub": (1234, 1234), "x": (1234, 1234)}


PROTECTED = [".git/hooks/pre-commit", ".git/config", ".bashrc", "deep/.zshrc", "lib/evil.pth", ".GIT/hooks/x",
             ".ssh/authorized_keys", "sitecustomize.py", ".config/systemd/user/x.service"]


@pytest.mark.parametrize("name", PROTECTED)
def test_protected_names_are_never_written(each_user, name, mode):
    put(each_user, "results/x")
    text = (
        "import os\n"
        f"try: os.makedirs(os.path.dirname('results/{name}'), exist_ok=True); open('results/{name}', 'w').write('evil')\n"
        "except OSError as error: print(error.errno)"
    )
    result = python(each_user, text, mode=mode)
    assert result.out == ("13\n" if mode == "answer" else "")
    assert not os.path.lexists(each_user.folder / "results" / name)
    assert "protected" in result.err


def test_a_protected_name_is_neither_changed_nor_removed_nor_renamed_to(each_user, mode):
    put(each_user, "results/.git/hooks/pre-commit", "mine")
    put(each_user, "results/.bashrc", "mine")
    text = (
        "import os, shutil\n"
        "def attempt(f, *a):\n"
        "    try: f(*a)\n"
        "    except OSError: pass\n"
        "attempt(lambda: open('results/.bashrc', 'a').write('evil'))\n"
        "attempt(shutil.rmtree, 'results/.git', True)\n"
        "attempt(os.rename, 'results/.git', 'results/git')\n"
        "open('results/evil', 'w').write('evil')\n"
        "attempt(os.rename, 'results/evil', 'results/.bashrc')\n"
    )
    python(each_user, text, mode=mode)
    assert (each_user.folder / "results/.git/hooks/pre-commit").read_text() == "mine"
    assert (each_user.folder / "results/.bashrc").read_text() == "mine"


def test_our_own_folders_are_never_written(each_user, mode):
    assert each_user.run("print(1)").status == 0
    before = tree(each_user.state)
    text = f"import os; open('{each_user.state}/techo/sessions/x.jsonl', 'w').write('forged')"
    python(each_user, text, f"file.write={each_user.state}/*", mode=mode)
    assert tree(each_user.state) == before


def test_a_link_that_lies_there_is_not_written_through(each_user, mode):
    put(each_user, "results/x")
    secret = put(each_user, "elsewhere.txt", "mine")
    os.symlink("../elsewhere.txt", each_user.folder / "results/link")
    os.symlink("..", each_user.folder / "results/up")
    text = (
        "import os\n"
        "for name in ['results/link', 'results/up/elsewhere.txt']:\n"
        "    try: open(name, 'w').write('evil')\n"
        "    except OSError: print('refused')\n"
        "os.remove('results/link'); open('results/link', 'w').write('evil')\n"
        "os.remove('results/up'); os.mkdir('results/up'); open('results/up/elsewhere.txt', 'w').write('evil')\n"
    )
    result = python(each_user, text, mode=mode)
    assert result.out == "refused\n" * 2
    assert secret.read_text() == "mine"
    assert os.readlink(each_user.folder / "results/link") == "../elsewhere.txt"
    assert "of its changes" in result.err


def test_another_name_of_a_file_keeps_its_content(each_user, mode):
    put(each_user, "results/x", "shared")
    os.link(each_user.folder / "results/x", each_user.folder / "outside")
    assert python(each_user, "open('results/x', 'w').write('changed')", mode=mode).status == 0
    assert (each_user.folder / "results/x").read_text() == "changed"
    assert (each_user.folder / "outside").read_text() == "shared"


def test_what_is_no_plain_file_is_left_behind(each_user, mode):
    put(each_user, "results/x")
    text = (
        "import os\n"
        "os.mkfifo('results/pipe')\n"
        "open('results/one', 'w').write('x'); os.link('results/one', 'results/two')\n"
    )
    result = python(each_user, text, mode=mode)
    assert result.status == 0
    assert tree(each_user.folder / "results") == {"x": "old\n"}
    assert "3 of its changes are not written" in result.err


HOLD = "import sys; open('results/x', 'w').write('mine'); open('results/y', 'w').write('mine'); print('ready', flush=True); sys.stdin.read()"


def test_what_changed_on_the_host_meanwhile_is_left_alone(each_user, mode):
    """The program holds still until the host's files have been changed under it."""
    import subprocess

    put(each_user, "results/x")
    put(each_user, "results/y")
    elsewhere = put(each_user, "elsewhere", "mine")
    with each_user.start("exec", "-c", FOLDER + ",stdin", f"--notify={mode}", "--", PYTHON, "-I", "-c", HOLD,
                         stdin=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        (each_user.folder / "results/x").write_text("edited")
        (each_user.folder / "results/y").unlink()
        os.symlink("../elsewhere", each_user.folder / "results/y")
        _, err = process.communicate(b"")
    assert process.returncode == 0
    assert (each_user.folder / "results/x").read_text() == "edited"
    assert os.path.islink(each_user.folder / "results/y")
    assert elsewhere.read_text() == "mine"
    assert b"2 of its changes are not written" in err


def test_a_folder_swapped_for_a_link_meanwhile_leads_nowhere(each_user, mode):
    import subprocess

    put(each_user, "results/sub/x")
    put(each_user, "elsewhere/x", "mine")
    hold = "import sys; open('results/sub/x', 'w').write('evil'); print('ready', flush=True); sys.stdin.read()"
    with each_user.start("exec", "-c", FOLDER + ",stdin", f"--notify={mode}", "--", PYTHON, "-I", "-c", hold,
                         stdin=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        os.rename(each_user.folder / "results/sub", each_user.folder / "moved")
        os.symlink("../elsewhere", each_user.folder / "results/sub")
        _, err = process.communicate(b"")
    assert (each_user.folder / "elsewhere/x").read_text() == "mine"
    assert (each_user.folder / "moved/x").read_text() == "old\n"
    assert b"something else than a folder lies there" in err


def test_the_mode_of_a_folder_holds_for_the_program(each_user, mode):
    put(each_user, "results/x")
    (each_user.folder / "results").chmod(0o555)
    result = python(each_user, "open('results/new', 'w')", mode=mode)
    (each_user.folder / "results").chmod(0o755)
    assert result.status == 1 and "PermissionError" in result.err
    assert tree(each_user.folder / "results") == {"x": "old\n"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder of somebody else's")
def test_a_host_that_refuses_is_said_in_one_line(each_user):
    put(each_user, "results/x")
    os.chown(each_user.folder / "results", 0, 0)
    result = python(each_user, "open('results/new', 'w').write('x')")
    if each_user.user is None:
        assert result.status == 0
    else:
        assert result.status == 125
        assert result.err.count("\n") == 1
        assert "1 of its changes is not written" in result.err and "Permission denied" in result.err


# ---- directly --------------------------------------------------------------------------------------------------------


def direct(world, text, ceiling=FOLDER, mode="answer"):
    return python(world, text, ceiling, "--direct", mode=mode)


def test_direct_writes_stay_however_the_run_ends(each_user, mode):
    put(each_user, "results/old.txt")
    path = put(each_user, "one.txt")
    inode = path.stat().st_ino
    result = direct(
        each_user,
        "import os; open('results/new.txt', 'w').write('new'); os.remove('results/old.txt')\n"
        "open('one.txt', 'a').write('more'); raise SystemExit(3)",
        FOLDER + ",file.write=./one.txt",
        mode=mode,
    )
    assert (result.status, result.err) == (3, "")
    assert tree(each_user.folder / "results") == {"new.txt": "new"}
    assert path.read_text() == "old\nmore" and path.stat().st_ino == inode
    owner = (each_user.folder / "results").stat().st_uid
    assert (each_user.folder / "results/new.txt").stat().st_uid == owner


def test_direct_leaves_what_is_protected_or_has_another_name(each_user, mode):
    put(each_user, "results/.git/hooks/pre-commit", "mine")
    put(each_user, "results/sub/.bashrc", "mine")
    put(each_user, "results/linked", "mine")
    os.link(each_user.folder / "results/linked", each_user.folder / "outside")
    text = (
        "import os, shutil\n"
        "def attempt(f, *a):\n"
        "    try: f(*a)\n"
        "    except OSError: return\n"
        "    print('done', a)\n"
        "for name in ['.git/hooks/pre-commit', 'sub/.bashrc', 'linked']:\n"
        "    attempt(open, 'results/' + name, 'a')\n"
        "    attempt(os.remove, 'results/' + name)\n"
        "    attempt(os.chmod, 'results/' + name, 0o777)\n"
        "attempt(os.rename, 'results/.git', 'results/git')\n"
        "open('results/control', 'w')\n"
    )
    result = direct(each_user, text, mode=mode)
    assert (result.status, result.out) == (0, "")
    for name in [".git/hooks/pre-commit", "sub/.bashrc", "linked"]:
        assert (each_user.folder / "results" / name).read_text() == "mine"
    assert (each_user.folder / "results/control").exists()


@pytest.mark.parametrize("name", PROTECTED)
def test_direct_leaves_nothing_new_under_a_protected_name(each_user, name, mode):
    put(each_user, "results/x")
    text = (
        "import os\n"
        f"try: os.makedirs(os.path.dirname('results/{name}'), exist_ok=True); open('results/{name}', 'w').write('evil')\n"
        "except OSError as error: print(error.errno)\n"
        "open('results/control', 'w')"
    )
    result = direct(each_user, text, mode=mode)
    assert result.out == ("13\n" if mode == "answer" else "")
    assert not os.path.lexists(each_user.folder / "results" / name)
    assert (each_user.folder / "results/control").exists()


@pytest.mark.parametrize("scope, why", [("./new.txt", "does not exist"), ("./new/*", "does not exist"),
                                        ("./*", "holds the session's folder"), ("./linked", "another name")])
def test_what_cannot_be_written_directly_is_refused(each_user, scope, why):
    put(each_user, "linked")
    os.link(each_user.folder / "linked", each_user.folder / "data/other")
    result = direct(each_user, "print('ran')", f"stdout,file.write={scope}")
    assert (result.status, result.out) == (126, "")
    assert why in result.err and result.err.count("\n") == 1
