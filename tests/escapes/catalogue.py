"""
The catalogue: every attack, what must come of it, and the layer that must stop it.

One row is one run of one case of a program in programs/ (or of a Python text, or of techo itself). The numbers are
the catalogue's; a letter parts one number into several rows.

stops   what each `try` line must say: a list of errnos or words, any of which will do for all tries; NAME=A|B
        holds for that try alone. In `answer` mode EACCES will do for whatever the supervisor answered.
report  what the report of denials must name, with the row's layer: paths (@ is the root) or addresses. None: the
        refusal is silent, since it is no notified call; then the mutation run alone proves the layer.
status  how the run must end.
"""
from dataclasses import dataclass, field

DATA = "stdout,file.read=./data/*"
LOADER = ["/lib64", "/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu"]
SYSTEM = ["/usr", "/bin", "/lib", "/lib64"]


@dataclass
class Attack:
    id: str
    group: str
    what: str
    program: str
    stops: str
    layer: str
    report: tuple = ()
    policy: str = DATA
    base: list = field(default_factory=list)
    status: str = "ok"     # alternatives are parted by |
    answer: str = ""       # instead of `stops` when the supervisor answers
    unbroken: str = ""     # why the mutation run cannot make it succeed
    unbounded: bool = False  # without its limits it would take the machine with it: the mutation run leaves it out
    limits: str = ""       # added to the policy
    signal: int = 0
    survivors: int = 0     # at least so many must have been there to be killed at the end
    bounded: dict = field(default_factory=dict)  # the most that the usage report may say
    slow: bool = False     # check-long only

    def wanted(self, mode):
        """For each try its words; under "" those of all others."""
        words, text = {"": set()}, self.answer if mode == "answer" and self.answer else self.stops
        for token in text.split():
            name, equals, value = token.partition("=")
            if equals:
                words[name] = set(value.split("|"))
            else:
                words[""].add(token)
        return words


def files(id, what, program, stops, layer="mounts", **more):
    return Attack(id, "files", what, program, stops, layer, **more)


def network(id, what, program, stops, layer="namespaces", **more):
    return Attack(id, "network", what, program, stops, layer, **more)


def processes(id, what, program, stops, layer="namespaces", **more):
    return Attack(id, "processes", what, program, stops, layer, **more)


def kernel(id, what, program, stops, layer="seccomp", **more):
    return Attack(id, "kernel", what, program, stops, layer, **more)


def resources(id, what, program, stops, layer="rlimits", **more):
    return Attack(id, "resources", what, program, stops, layer, **more)


def secrets(id, what, program, stops, layer="mounts", **more):
    return Attack(id, "secrets", what, program, stops, layer, **more)


def races(id, what, program, stops, layer="mounts", **more):
    return Attack(id, "races", what, program, stops, layer, **more)


ATTACKS = [
    files("1", "reads keys, /etc/shadow and what lies beside the data", "paths secrets", "ENOENT",
          report=("/etc/shadow", "@/.env", "@/secret.txt")),
    files("2", "spells the way there differently", "paths spellings", "ENOENT ENOTDIR EACCES",
          report=("@/.env", "/etc/shadow")),
    files("3", "makes a symlink that leads out, and reads and writes through it", "paths made-links",
          "ENOENT write-data=EROFS write-up=EROFS|ENOENT|EACCES write=ENOENT|EROFS|EACCES",
          report=("/etc/shadow", "@/data/a.txt")),
    files("4", "follows a symlink of the host's that leads out of the data", "paths host-links",
          "ENOENT write=ENOENT|EROFS|EACCES"),
    files("5", "chains and loops of links", "paths loops", "ELOOP",
          unbroken="the kernel ends chains of links by itself; the row shows that the supervisor's own look-up ends too"),
    files("6", "hard links: to a file outside, of a file that may only be read", "changes hard-links",
          "outside=ENOENT shadow=ENOENT EXDEV EROFS", report=("@/data/x",)),
    files("7", "renames over, out of and within the data", "changes renames",
          "EXDEV EROFS EBUSY EACCES", report=("@/data/a.txt", "@/data")),
    files("8", "writes through a hard link that lies in the data", "changes host-hard-link", "EROFS",
          report=("@/data/hard",)),
    files("9", "every way of writing a file that may only be read", "changes writes",
          "EROFS create-root=EROFS|EACCES fd-write=EBADF fd-truncate=EINVAL fd-punch=EBADF fd-copy=EBADF "
          "fd-splice=EBADF map=EACCES map-protect=EACCES", report=("@/data/a.txt", "@/data/new.txt", "@/new.txt")),
    files("10", "changes attributes, which Landlock does not know", "changes attributes", "EROFS",
          report=("@/data/a.txt", "@/data")),
    files("10b", "changes attributes through a descriptor opened for reading", "changes attributes-by-descriptor",
          "EROFS ENOSYS setflags=ENOSYS"),
    files("11", "makes folders, pipes, sockets and devices", "changes nodes",
          "EROFS EPERM EACCES", report=("@/data/new", "@/data/pipe", "@/data/new-socket")),
    files("12", "a set-user-id program of its own, and the system's", "execs set-user-id", "same-user", policy="stdout,exec", base=SYSTEM, report=None),
    files("13", "executes what it has written", "execs written", "EACCES EPERM", report=("@/out/copy", "/tmp/copy")),
    files("14", "lets the dynamic loader start a written or a hidden program", "execs by-loader",
          "ENOEXEC", base=LOADER, report=("/usr/bin/true",)),
    files("15", "executes memory that has no name", "execs from-memory", "EPERM ENOSYS EACCES EINVAL", layer="seccomp",
          report=None),
    files("16", "openat2, O_PATH and reopening, O_TMPFILE and linking it in", "paths other-opens",
          "ENOSYS reopen-write=EROFS reopen-truncate=EROFS from-folder=ENOENT fchdir-up=ENOENT|EBADF "
          "tmpfile=EROFS|EACCES tmpfile-link=EXDEV|EROFS", report=("@/data/a.txt",)),
    files("17", "opens by handle", "paths handles", "EPERM", layer="seccomp", report=None),
    files("18", "looks into the process that starts it all", "proc others",
          "EACCES EPERM ENOENT ESRCH EINVAL",
          layer="namespaces", report=("/proc/1/environ",),
          unbroken="the kernel keeps a stranger's process closed by itself; the row shows that nothing in a cell opens one"),
    files("18b", "reads and writes the kernel's files", "proc kernel-files", "ENOENT EACCES EROFS EPERM",
          report=("/proc/kcore", "/proc/sysrq-trigger")),
    files("19", "writes its own entries in /proc", "proc own-entries", "EPERM EACCES EROFS ENOENT EINVAL EBADF", report=None,
          unbroken="the kernel keeps these by itself; the row shows that a cell adds nothing"),
    files("20", "overwrites its own image and the base behind it", "execs own-image",
          "EROFS ETXTBSY EACCES", report=None,
          unbroken="the base is the host's own, and read-only in a decoy cell too"),
    files("21", "uses descriptors that were left open", "proc descriptors",
          "inherited=none folders=none stdin=null pipe=pipe", layer="supervisor", report=None),
    files("23", "the mount interface, old and new", "kernel mounts", "EPERM ENOSYS", layer="seccomp", report=None,
          unbroken="it needs capabilities, which no program has here; row 24 shows the way to them"),
    files("24", "new namespaces, to be root in them", "kernel namespaces", "EPERM ENOSYS", layer="seccomp", report=None),
    files("26", "tells another run something by leases, notices and locks", "changes channels", "EPERM ENOSYS EBADF",
          layer="seccomp", report=None),
    files("27", "writes hooks, shell files, packages, sessions", "changes protected", "ENOENT EROFS EACCES",
          report=("@/.git/hooks/pre-commit", "@/setup.cfg")),
    files("29", "reads a pipe that nobody writes", "paths fifo", "", layer="supervisor", report=None, status="wall",
          limits=",wall=500ms",
          unbroken="the supervisor cannot be switched off: it holds every limit"),
    files("29b", "reads a file that has no end", "paths endless-files", "", layer="supervisor", report=None, status="wall",
          limits=",wall=500ms",
          unbroken="as 29"),

    network("30", "connects by address", "network connects", "ENETUNREACH EACCES EHOSTUNREACH",
            report=("192.0.2.1:80", "192.0.2.1:443", "8.8.8.8:53")),
    network("32", "sends datagrams", "network datagrams", "ENETUNREACH EACCES EDESTADDRREQ ENOTCONN",
            report=("192.0.2.1:53", "8.8.8.8:53")),
    network("33", "sockets of other families and protocols", "network families",
            "EAFNOSUPPORT EPERM EPROTONOSUPPORT ENOSYS", layer="seccomp", report=None),
    network("34", "connects by sending", "network fast-open", "EOPNOTSUPP ENOSYS", layer="seccomp", report=None),
    network("35", "aims a socket anew", "network reuse",
            "ENETUNREACH EACCES ENOTCONN EPIPE after-unspec=ECONNREFUSED|EISCONN|EINVAL|ECONNABORTED", report=("192.0.2.1:80",)),
    network("36", "waits for a connection from outside", "network listening", "nobody", report=None),
    network("37", "the host's own services and a cloud's metadata", "network host-services",
            "ECONNREFUSED ENETUNREACH EACCES EADDRNOTAVAIL EINVAL", report=("169.254.169.254:80",)),
    network("38", "sockets of the host with a name, in a granted folder too", "network local-sockets",
            "EACCES EINVAL EISCONN EPROTOTYPE ENOENT ECONNREFUSED socket=EACCES datagrams=EACCES",
            layer="seccomp", report=None),
    network("39", "receives descriptors over an inherited socket", "network passing", "inherited=none",
            layer="supervisor", report=None),
    network("41", "sets the high bits that the kernel does not read", "network high-bits",
            "EPERM EAFNOSUPPORT EPROTONOSUPPORT ENOSYS EACCES", layer="seccomp", report=None),
    network("42", "asks for the host's interfaces", "network fingerprint", "interfaces=only-lo|absent ENOENT ENOSYS EACCES",
            report=None),
    network("44", "ten thousand connects", "network flood", "ENETUNREACH EACCES", report=("10.0.0.1:80",)),

    kernel("52", "prctl that would blind the supervisor or regain rights", "kernel prctls", "EPERM ENOSYS EINVAL",
           report=None),
    kernel("53", "filters of its own", "kernel own-filters", "EPERM ENOSYS", report=None),
    kernel("55", "priorities, real time, locked memory", "kernel scheduling", "EPERM ENOSYS ESRCH EINVAL", report=None),
    kernel("56", "the other interfaces of the processor", "kernel other-interfaces", "killed no-such-interface ENOSYS",
           report=None),
    kernel("57", "clone3", "kernel clone3", "ENOSYS", report=None),
    kernel("58", "calls that no answer needs", "kernel calls", "EPERM ENOSYS", report=None),
    kernel("59", "other personalities", "kernel personalities", "EPERM ENOSYS", report=None),
    kernel("60", "every number of a system call with bad pointers", "kernel sweep", "", report=None),
    kernel("61", "devices", "proc devices", "ENOENT EACCES ENXIO", layer="mounts", report=("/dev/mem", "/dev/kvm")),
    kernel("62", "ioctls on its terminal, its files and devices", "kernel ioctls", "EPERM ENOSYS", report=None,
          unbroken="there is no terminal and no such file here to try it on"),

    processes("45", "signals to whoever started it", "processes signals", "ESRCH EPERM first=alive", report=None),
    processes("46", "the memory of other processes", "processes memory-of-others", "EPERM ENOSYS EACCES mem-write=EPERM|EACCES|EROFS",
              layer="seccomp", report=None),
    processes("47", "a daemon that ignores every signal", "processes daemon", "", report=None, survivors=1),
    processes("48", "a flood of processes that nobody waits for", "processes zombies", "EAGAIN", layer="rlimits",
              report=None, bounded={"processes_peak": 66}),
    processes("49", "stops itself, so that nothing ends it", "processes stopped", "", layer="supervisor", report=None,
              status="wall", limits=",wall=500ms",
          unbroken="as 29"),
    processes("50", "a fork bomb", "processes fork-bomb", "EAGAIN", layer="rlimits", report=None,
              bounded={"processes_peak": 66}),
    processes("50b", "a bomb of threads", "processes thread-bomb", "EAGAIN", layer="rlimits", report=None,
              bounded={"processes_peak": 66}),
    processes("50c", "a fork bomb that never stops and ignores every signal", "processes tree-bomb", "",
              layer="rlimits", report=None, status="wall|cpu", limits=",wall=1s", unbounded=True, bounded={"processes_peak": 66}),
    processes("51", "programs of the system", "execs forbidden", "ENOENT EACCES", layer="mounts",
              report=("/usr/bin/curl", "/bin/bash", "/usr/bin/python3")),
    processes("54", "dumps its memory by abort()", "processes core", "core=none EPERM", layer="rlimits", report=None,
              status="signal", signal=6),
    processes("64", "is killed by the filter, whatever it does about signals", "processes filtered", "",
              layer="seccomp", report=None, status="signal", signal=31),
    processes("81", "kills itself", "processes dies", "", layer="supervisor", report=None, status="signal", signal=9,
          unbroken="it is no attack but an end that must be told apart"),
    processes("81b", "ends while its children are being judged", "processes exit-while-watched", "", layer="mounts",
              report=("@/.env",), status="error", survivors=8,
          unbroken="it is no attack but an end that must not confuse the supervisor"),

    resources("25", "fills every place that it may write to", "limits disk", "ENOSPC EFBIG total=bounded",
              layer="mounts", report=None, limits=",disk=16M", bounded={"disk": 16 << 20}),
    resources("25b", "uses up the files' numbers", "limits inodes", "ENOSPC", layer="mounts", report=None,
              limits=",disk=16M"),
    resources("65", "ten times the memory, by every call", "limits memory", "ENOMEM EPERM", report=None,
              status="ok|memory", limits=",memory=64M", bounded={"memory_peak": 128 << 20},
          unbroken="the supervisor samples the memory as well, and cannot be switched off"),
    resources("65b", "endless recursion", "limits recursion", "stopped", report=None, status="memory|signal", signal=11,
              limits=",memory=64M",
          unbroken="stacks are bounded on any machine"),
    resources("65c", "shared memory that no process's size shows", "limits hidden-memory", "shared=ENOMEM", layer="seccomp",
              report=None, status="ok|memory", limits=",memory=64M", bounded={"memory_peak": 128 << 20}),
    resources("66", "memory in files without a name", "limits memory-files", "memfd=ENOSYS|EFBIG|ENOMEM|ENOSPC", layer="seccomp", report=None,
              status="ok|memory", limits=",memory=64M,disk=16M", bounded={"memory_peak": 128 << 20}),
    resources("66b", "memory in pipes and sockets", "limits buffers", "held=bounded", report=None,
              status="ok|memory", limits=",memory=512M"),
    resources("65d", "ten times the memory in Python's own lists", "bombs.py lists", "MemoryError", report=None,
              status="ok|memory", limits=",memory=256M"),
    resources("68", "a number with a thousand million digits", "bombs.py number", "", layer="supervisor", report=None,
              status="cpu|memory", limits=",cpu=1s,memory=256M"),
    resources("68b", "a pattern that never ends", "bombs.py pattern", "", layer="supervisor", report=None, status="cpu",
              limits=",cpu=1s"),
    resources("68c", "an archive that unpacks to ten times the memory", "bombs.py archive", "MemoryError", report=None,
              status="ok|memory", limits=",memory=256M"),
    resources("68d", "an archive that unpacks to ten times the disk", "bombs.py unpack", "OSError", layer="mounts",
              report=None, limits=",disk=16M"),
    resources("69", "five threads that compute for ever and ignore every signal", "limits processor", "", report=None,
              status="cpu", limits=",cpu=1s",
          unbroken="the supervisor counts as well, and cannot be switched off"),
    resources("69b", "many short processes, each below the limit", "limits processor-by-children", "",
              layer="supervisor", report=None, status="cpu", limits=",cpu=1s",
          unbroken="as 29"),
    resources("70", "waits for ever", "limits sleeps", "", layer="supervisor", report=None, status="wall",
              limits=",wall=500ms",
          unbroken="as 29"),
    resources("71", "descriptors, timers, queues without end", "limits descriptors",
              "EMFILE EAGAIN ENOSYS EPERM", layer="seccomp", report=None),
    resources("72", "raises its own limits", "limits raises", "EPERM", report=None),
    resources("78", "a flood of output on both streams", "limits flood", "", layer="supervisor", report=None,
              status="output", limits=",output=64K",
          unbroken="as 29"),
    resources("79", "odd things with its standard streams", "limits odd-streams", "", layer="supervisor", report=None,
          unbroken="as 29"),

    races("89", "changes the address while connect is judged", "races connects", "own-only", layer="namespaces",
          report=("192.0.2.1:80",)),
    races("90", "puts another file in the socket's place", "races descriptors", "refused", layer="namespaces", report=None),
    races("91", "changes the path while open is judged", "races opens", "data-only", report=("@/.env",)),
    races("92", "swaps a folder on the way for a link", "races components", "data-only", report=None),
    races("95", "a storm of signals while it connects", "races signal-storm", "once", layer="supervisor", report=None,
          unbroken="as 81b"),
    races("96", "executes in two threads, and changes what", "races executions", "itself-only", report=None),

    secrets("82", "reads its environment", "proc environment", "others=listed absent", layer="supervisor", report=None),
    secrets("85", "tells existing files from missing ones", "paths oracle", "alike", report=None),
    secrets("86", "asks which machine this is", "proc identity", "name=sandbox mounts=nothing ENOENT EACCES", report=None),
    secrets("87", "what an earlier run left", "proc leftovers", "empty", report=None),
]


@dataclass
class Elsewhere:
    """A number that other tests hold, by the functions that do, or that has to wait for what does not exist yet."""
    id: str
    what: str
    tests: tuple = ()  # FILE:FUNCTION, or rows of this table: "row 58"
    later: str = ""


ELSEWHERE = [
    Elsewhere("22", "fchdir to an inherited folder", ("row 21",)),
    Elsewhere("28", "DuckDB's own ways to files", later="with the SQL runner"),
    Elsewhere("31", "a granted host in every disguise", (
        "e2e/test_net.py:test_an_address_is_that_address_in_every_dress",
        "e2e/test_net.py:test_the_address_of_a_granted_name_is_not_granted")),
    Elsewhere("40", "io_uring", ("row 58",)),
    Elsewhere("43", "a granted host that sends elsewhere", ("e2e/test_net.py:test_a_redirect_to_another_host_is_refused",)),
    Elsewhere("63", "clocks", ("row 52",)),
    Elsewhere("67", "sparse mappings", ("row 65",)),
    Elsewhere("73", "limits of parallel runs are their own", ("long.d/50-load:tests/escapes/load",)),
    Elsewhere("74", "escape sequences on the screen", (
        "unit/sanitize_test.c:escape_sequences_are_shown_and_not_sent", "screen/hostile_test.c:free_text_never_acts")),
    Elsewhere("75", "the same in names, reports and prompts", ("screen/hostile_test.c:words_of_the_format_never_act_either",)),
    Elsewhere("76", "directions, marks, widths, long lines", (
        "unit/sanitize_test.c:direction_and_invisible_characters_are_spelled_out",
        "unit/sanitize_test.c:floods_of_marks_do_not_pile_up", "unit/sanitize_test.c:a_line_of_ten_megabytes_passes",
        "unit/sanitize_test.c:widths_count_columns")),
    Elsewhere("77", "imitated prompts and lines", ("screen/hostile_test.c:free_text_never_acts",)),
    Elsewhere("80", "anything in captured output as JSON", (
        "e2e/test_engine.py:test_what_a_program_says_in_its_harness_s_place_is_bounded_and_checked",
        "unit/session_format_test.c:main")),
    Elsewhere("83", "inherited agents, proxies, loader settings", ("row 82",)),
    Elsewhere("84", "what a zygote remembers", later="with the zygote"),
    Elsewhere("88", "host paths in what goes to a model", (
        "e2e/test_engine.py:test_a_missing_permission_is_told_and_nothing_about_existence",
        "e2e/test_engine.py:test_an_exception_is_told_without_the_harness")),
    Elsewhere("93", "a folder of the host's that is swapped for a link meanwhile", (
        "unit/pin_test.c:main", "e2e/test_files.py:test_a_folder_swapped_for_a_link_meanwhile_leads_nowhere")),
    Elsewhere("94", "ends while its call is judged", ("row 81b",)),
    Elsewhere("97", "two threads execute at once", ("row 96",)),
    Elsewhere("98", "the supervisor is killed", (
        "long.d/50-load:tests/escapes/load", "e2e/test_supervised.py:test_when_the_supervisor_is_killed_the_run_ends_and_its_groups_go",
        "e2e/test_supervised.py:test_when_the_application_is_killed_nothing_survives")),
    Elsewhere("99", "the same folder written by two runs", (
        "e2e/test_files.py:test_what_changed_on_the_host_meanwhile_is_left_alone",)),
    Elsewhere("100", "the end and the limit at the same moment", ("long.d/50-load:tests/escapes/load",)),
]
