"""Runs one program as __main__ inside a cell, and says on descriptor 3 what the outside wants to know.

usage: python_harness.py [--restricted] PROGRAM [PREAMBLE]

The preamble runs first, in the same module, under a name of its own, so that line 1 is the program's line 1.
An audit hook says the program's line ("@12") before something is opened, connected or started; an exception that
nobody catches is said as one JSON line, and shown on stderr as Python shows it, without the harness's own frames.
All of it is what the program's process says about itself: it explains, and decides nothing.
With --restricted the program is compiled by RestrictedPython, for comparison: what that promises is looked at elsewhere.
"""

import os
import sys

SAID = 3
HIGH = 200  # where the descriptor goes: out of the way of a program that counts on the lowest free number
TEXT_MAX = 4000
FRAMES_MAX = 50
NAME = "program.py"
PREAMBLE = "preamble"
TOUCHING = frozenset(
    "open os.listdir os.scandir os.chdir os.chflags os.chmod os.chown os.link os.mkdir os.remove os.rename os.rmdir "
    "os.symlink os.truncate os.utime os.setxattr os.removexattr os.exec os.posix_spawn os.spawn os.system os.fork "
    "subprocess.Popen socket.bind socket.connect socket.getaddrinfo socket.gethostbyname socket.sendto "
    "ctypes.dlopen sqlite3.connect glob.glob pathlib.Path.glob shutil.rmtree".split()
)


FONTS = f"{sys.prefix}/lib/python{sys.version_info[0]}.{sys.version_info[1]}/techo-fonts"  # made by the set-up


class Said:
    """The descriptor, kept out of children and noticed when the program has closed or replaced it."""

    def __init__(self):
        import fcntl

        self.fd = -1
        self.line = 0
        try:
            self.fd = fcntl.fcntl(SAID, fcntl.F_DUPFD_CLOEXEC, HIGH)
            os.close(SAID)
        except OSError:  # nobody listens
            return
        self.node = os.fstat(self.fd)[1:3]
        os.register_at_fork(after_in_child=self.close)

    def close(self):
        if self.fd >= 0:
            try:
                os.close(self.fd)
            except OSError:
                pass
            self.fd = -1

    def write(self, data, write=os.write, fstat=os.fstat):
        try:
            if self.fd >= 0 and fstat(self.fd)[1:3] == self.node:
                while data:
                    data = data[write(self.fd, data) :]
        except OSError:
            self.fd = -1


def give_fonts(folder):
    """matplotlib's list of fonts, where it looks for it: making one takes a second, and tries to start fc-list."""
    try:
        names = os.listdir(FONTS)
        os.makedirs(folder)
        for name in names:
            with open(f"{FONTS}/{name}", "rb") as made, open(f"{folder}/{name}", "wb") as given:
                given.write(made.read())
    except OSError:  # then it makes its own
        pass


def watch(said, touching=TOUCHING, frame_at=sys._getframe, fonts=os.environ.get("MPLCONFIGDIR")):
    """Says the program's line whenever it changes before something is touched."""

    def hook(event, args):
        if event == "import" and args[0] == "matplotlib" and fonts:
            give_fonts(fonts)
        if said.fd < 0 or event not in touching:
            return
        frame = frame_at(1)
        while frame is not None and frame.f_code.co_filename != NAME:
            frame = frame.f_back
        line = frame and frame.f_lineno
        if line and line != said.line:
            said.line = line
            said.write(b"@%d\n" % line)

    sys.addaudithook(hook)


def own_frames(trace):
    """The traceback from the first frame that is not the harness's."""
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return trace


def describe(error, trace, lines):
    frames = []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == NAME:
            number = trace.tb_lineno or 0
            text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
            frames.append({"line": number, "function": trace.tb_frame.f_code.co_name, "text": text[:TEXT_MAX]})
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename == NAME:
        frames.append({"line": error.lineno or 0, "function": "<module>", "text": (error.text or "").strip()[:TEXT_MAX]})
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = f"{kind.__module__}.{name}"
    try:
        message = str(error.msg if isinstance(error, SyntaxError) else error)[:TEXT_MAX]
    except Exception:
        message = ""
    report = {"kind": "exception", "type": name, "message": message, "frames": frames[-FRAMES_MAX:]}
    if isinstance(error, OSError) and error.errno is not None:
        report["errno"] = error.errno
        if isinstance(error.filename, (str, bytes, int)):
            report["filename"] = os.fsdecode(error.filename) if not isinstance(error.filename, int) else ""
    return report


def tell(said, error, lines):
    """The exception, for the outside and for stderr."""
    trace = own_frames(error.__traceback__)
    error.__traceback__ = trace
    try:
        import json

        said.write(json.dumps(describe(error, trace, lines)).encode() + b"\n")
    except Exception:  # out of memory, most likely: the traceback below still says what happened
        pass
    if sys.excepthook is not sys.__excepthook__:
        sys.excepthook(type(error), error, trace)
        return
    try:
        import traceback

        traceback.print_exception(type(error), error, trace)
    except Exception:
        sys.__excepthook__(type(error), error, trace)


def main_module():
    module = type(sys)("__main__")
    module.__dict__.update(__builtins__=__builtins__, __file__=NAME, __annotations__={})
    sys.modules["__main__"] = module
    return module


def show_source(name, source):
    """Lets tracebacks and inspect.getsource() find what lies in no file."""
    import linecache

    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)


def compiled(name, path, source, compiles=compile):
    """The code under `name`. Python's compiler opens the file it compiles to show the line of an error, so it is told where
    the source really lies; under `name` the root may hold nothing, or something else."""

    def renamed(code):
        inner = (renamed(each) if isinstance(each, type(code)) else each for each in code.co_consts)
        return code.replace(co_filename=name, co_consts=tuple(inner))

    try:
        return renamed(compiles(source, path, "exec", dont_inherit=True))
    except SyntaxError as error:
        error.filename = name
        raise


IMPORTS = frozenset("collections csv datetime io itertools json math numpy pandas re statistics".split())
BUILTINS = "all any dict enumerate filter frozenset iter list map max min next reversed set sum type".split()


def restricted_import(name, *more):
    if name.partition(".")[0] not in IMPORTS:
        raise ImportError(f"{name} is not allowed here")
    return __import__(name, *more)


class Printer:
    """What RestrictedPython makes of print()."""

    def __init__(self, getattr_=None):
        pass

    def _call_print(self, *words, **options):
        print(*words, **options)


def restrict(module):
    """Names and guards as RestrictedPython's documentation has them, with the libraries that answers need."""
    import builtins
    import operator

    from RestrictedPython import Eval, Guards, safe_builtins

    names = {name: getattr(builtins, name) for name in BUILTINS}
    inplace = {"+=": operator.iadd, "-=": operator.isub, "*=": operator.imul, "/=": operator.itruediv}
    module.__dict__.update(
        __builtins__={**safe_builtins, **names, "__import__": restricted_import},
        __metaclass__=type,
        _getattr_=Guards.safer_getattr,
        _getitem_=Eval.default_guarded_getitem,
        _getiter_=Eval.default_guarded_getiter,
        _inplacevar_=lambda sign, left, right: inplace[sign](left, right),
        _iter_unpack_sequence_=Guards.guarded_iter_unpack_sequence,
        _print_=Printer,
        _unpack_sequence_=Guards.guarded_unpack_sequence,
        _write_=lambda thing: thing,
    )


def run(program, preamble, said, restricted=False):
    places = [(name, path) for name, path in ((PREAMBLE, preamble), (NAME, program)) if path]
    parts = [(name, path, open(path, encoding="utf-8-sig").read()) for name, path in places]
    sys.argv = [NAME]
    del sys.path[0]  # where the harness lies; the root is no module folder, so that data cannot pose as a library
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")
    module = main_module()
    compiles = compile
    if restricted:
        import warnings

        from RestrictedPython import compile_restricted

        warnings.filterwarnings("ignore", category=SyntaxWarning, module="RestrictedPython")
        restrict(module)
        compiles = lambda source, path, mode, dont_inherit: compile_restricted(source, path, mode)
    for name, _, source in parts:
        show_source(name, source)
    watch(said)
    try:
        for name, path, source in parts:
            exec(compiled(name, path, source, compiles), module.__dict__)
    except SystemExit:
        raise
    except BaseException as error:
        tell(said, error, parts[-1][2].splitlines())
        return 1
    return 0


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--restricted"]
    sys.exit(run(words[0], words[1] if len(words) > 1 else None, Said(), len(words) < len(sys.argv) - 1))
