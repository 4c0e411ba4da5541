"""A refusal names the same item everywhere: inspection, the row, the line on stderr, `why`; and pasting it helps."""
import pytest

PYTHON = "/usr/bin/python3"

TRIALS = {
    "read": ("open('.env')", "file.read=./.env"),
    "read of a name with a comma": ("open('a,b')", 'file.read="./a,b"'),
    "write": ("open('notes.txt', 'w')", "file.write=./notes.txt"),
    "delete": ("os.remove('notes.txt')", "file.write=./notes.txt"),
    "make": ("os.mkdir('made')", "file.write=./made"),
    "program": ("subprocess.run(['/usr/bin/id'])", "exec=id"),
    "host": ("socket.create_connection(('api.evil.test', 443))", "net=api.evil.test:443"),
    "address": ("socket.create_connection(('192.0.2.7', 443))", "net=192.0.2.7:443"),
}


@pytest.mark.parametrize("trial", TRIALS)
def test_a_refusal_names_one_item_everywhere(world, trial):
    text, item = TRIALS[trial]
    text = f"import os, socket, subprocess\n{text}\n"
    world.write("program.py", text)
    checked = world.techo("check", "-c", "stdout", "program.py")
    assert f"what would cover it: {item}" in checked.err + checked.out

    ran = world.run(text, "-c", "stdout", "--inspect=off")
    denial = ran.denials()[0]
    assert denial["missing"] == item
    assert [row["fix"] for row in ran.rows() if row["origin"] == "tried"][:1] == [item]

    saved = world.sessions()[-1]
    assert f"fix: {item}" in world.techo("why", saved).out
    only = world.techo("why", f"{saved}:{denial['seq']}")
    assert only.status == 1 and only.out.count("denied ") == 1 and f"missing: {item}" in only.out
    assert "with that ceiling: granted" in world.techo("why", saved, "-c", f"stdout,{item}").out
    assert "with that ceiling: not granted" in world.techo("why", saved, "-c", "stdout").out

    refused = world.techo("why", "-c", "stdout", item)
    assert refused.status == 1 and item in refused.out.splitlines()[-1].replace("'\\''", "'")
    assert world.techo("why", "-c", f"stdout,{item}", item).status == 0

    if trial != "program":  # /usr is in view of a command
        in_place = world.techo("exec", "-c", "stdout", "--", PYTHON, "-I", "-c", text)
        assert f"{item} is not granted" in in_place.err


@pytest.mark.parametrize("item", ["env=LANG", "stdin", "memory=2G", "processes=100"])
def test_what_is_no_access_is_explained_too(world, item):
    refused = world.techo("why", "-c", "stdout", item)
    assert refused.status == 1 and refused.out.splitlines()[-1] == f"  fix: -c 'stdout,{item}'"
    assert world.techo("why", "-c", f"stdout,{item}", item).status == 0


@pytest.mark.parametrize("item, why", [
    ("env=OPENAI_API_KEY", "looks like a key"),
    ("file.read=/", "every file of this machine"),
    ("db", "not served"),
])
def test_what_no_item_can_allow_has_no_fix(world, item, why):
    refused = world.techo("why", "-c", "stdout", item)
    assert refused.status == 1
    assert why in refused.out and "fix:" not in refused.out


# ---- what a program can learn about this machine and its user ---------------------------------------------------------

IDENTITY = """
import os, socket, getpass
print(os.uname().nodename, socket.gethostname(), getpass.getuser(), os.path.expanduser("~"))
for path in ("/etc/machine-id", "/var/lib/dbus/machine-id", "/etc/hostname", "/proc/version", "/proc/cpuinfo",
             "/proc/sys/kernel/random/boot_id", "/proc/cmdline", "/sys/class/dmi/id/product_uuid",
             "/sys/class/net/eth0/address", "/proc/1/environ", "/proc/net/arp"):
    try:
        print(path, open(path).read())
    except OSError:
        pass
print(open("/proc/1/cmdline").read().rstrip(chr(0)), open("/proc/1/comm").read().strip(), os.listdir("/proc/self/fd"))
"""


@pytest.mark.parametrize("command", ["run", "exec"])
def test_the_machine_and_its_user_are_not_told(each_user, command):
    each_user.write("program.py", IDENTITY)
    words = ["--inspect=off", "program.py"] if command == "run" else ["--", PYTHON, "-I", "-c", IDENTITY]
    out = each_user.techo(command, "-c", "stdout", *words, env={"SOME_KEY": "planted-3fa1"}).out
    assert out.splitlines()[0] == "sandbox sandbox user /home/user"
    assert out.splitlines()[1].startswith("init init ")
    assert len(out.splitlines()) == 2, out
    assert "planted-3fa1" not in out


def test_mounts_tell_no_path_that_is_not_granted(each_user):
    out = each_user.techo("exec", "-c", "stdout,file.read=./data", "--", "cat", "/proc/self/mountinfo").out
    assert "/data " in out  # the control: what is granted is in it
    places = [line.split()[3:5] for line in out.splitlines()]
    allowed = ("/usr", "/etc", "/bin", "/sbin", "/lib", "/proc", "/dev", "/tmp", "/home/user", "/",
               str(each_user.folder.resolve()))
    assert all(any(place == one or place.startswith(one.rstrip("/") + "/") for one in allowed if one != "/") or place == "/"
               for _, place in places), places
    assert str(each_user.home) not in out and str(each_user.state) not in out
