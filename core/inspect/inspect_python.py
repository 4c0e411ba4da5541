"""Reads a Python program without running it and prints what it would do, as JSON.

Runs in a cell of its own with nothing granted: `python3 -I inspect_python.py`
reads /input (or the file named as its argument). It states facts, each with
its span; how grave they are is judged by techo (core/inspect/inspect.c):

    {"syntax_error": false, "facts": [{"kind": "delete", "what": "os.remove",
     "path": "/etc/passwd", "line": 2, "column": 1, "end_line": 2, "end_column": 24}]}

Values are followed through names, imports, joins, f-strings and calls of the
program's own functions where that is plain. A part of a path that is not known
reads as `*`; a path of which nothing is known gives no fact.
"""

import ast
import bisect
import io
import itertools
import json
import re
import sys
import time
import tokenize
import unicodedata

FACTS_MAX = 1000
TEXT_MAX = 500
VALUES_MAX = 24
NESTED_MAX = 3
SOURCE_MAX = 1 << 20
SECONDS_MAX = 5  # less than the cell's own limit, so that the answer comes

PROCESS = {
    "os.system", "os.popen", "os.startfile", "os.posix_spawn", "os.posix_spawnp", "subprocess.run", "subprocess.call",
    "subprocess.check_call", "subprocess.check_output", "subprocess.Popen", "subprocess.getoutput",
    "subprocess.getstatusoutput", "pty.spawn", "asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell",
} | {"os.exec" + s for s in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")} | {
    "os.spawn" + s for s in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")}
SHELL = {"os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput",
         "asyncio.create_subprocess_shell"}
CODE = {"eval", "exec", "compile", "__import__", "importlib.import_module", "runpy.run_path", "runpy.run_module",
        "code.interact", "code.InteractiveInterpreter().runsource", "types.FunctionType", "types.CodeType",
        "importlib.util.spec_from_file_location"}
PICKLE = {"pickle.load", "pickle.loads", "pickle.Unpickler", "_pickle.loads", "_pickle.load", "dill.load", "dill.loads",
          "cloudpickle.load", "cloudpickle.loads", "joblib.load", "shelve.open", "marshal.load", "marshal.loads",
          "pandas.read_pickle", "torch.load", "jsonpickle.decode"}
NATIVE = {"ctypes", "_ctypes", "cffi", "_cffi_backend"}
INTROSPECTION = {"__subclasses__", "__globals__", "__builtins__", "__code__", "__closure__", "__loader__",
                 "__getattribute__", "gi_frame", "f_globals", "f_builtins", "tb_frame"}

# the argument that names the path: its position and the names it may be given by
FIRST = (0, ("file", "path", "filename", "fname", "filepath_or_buffer", "io", "source", "path_or_buf", "name", "src",
             "top", "target", "path_or_buffer", "excel_writer", "database", "pathname", "where"))
SECOND = (1, ("dst", "target_directory"))
READ = {
    "os.listdir": "list", "os.scandir": "list", "os.walk": "list", "glob.glob": "list", "glob.iglob": "list",
    "os.readlink": "read", "pyarrow.parquet.read_table": "read", "pyarrow.parquet.ParquetFile": "read",
    "pyarrow.parquet.read_schema": "read", "pyarrow.parquet.read_metadata": "read", "pyarrow.csv.read_csv": "read",
    "pyarrow.json.read_json": "read", "pyarrow.dataset.dataset": "read", "pyarrow.feather.read_table": "read",
    "pyarrow.orc.read_table": "read", "numpy.load": "read", "numpy.loadtxt": "read", "numpy.genfromtxt": "read",
    "numpy.fromfile": "read", "sqlite3.connect": "read", "fileinput.input": "read", "linecache.getline": "read",
    "shutil.copy": "read", "shutil.copyfile": "read", "shutil.copy2": "read", "shutil.copytree": "read",
    "configparser.ConfigParser().read": "read", "runpy.run_path": "read",
    "matplotlib.pyplot.imread": "read", "PIL.Image.open": "read",
}
READ.update({"pandas.read_" + s: "read" for s in ("csv", "table", "fwf", "json", "parquet", "excel", "feather", "orc",
                                                  "html", "xml", "hdf", "sas", "spss", "stata", "pickle")})
READ.update({"polars." + v + s: "read" for v in ("read_", "scan_")
             for s in ("csv", "json", "ndjson", "parquet", "excel", "ipc")})
CHANGE = {
    "os.remove": "delete", "os.unlink": "delete", "os.rmdir": "delete", "os.removedirs": "delete",
    "shutil.rmtree": "delete", "os.rename": "change", "os.replace": "change", "os.renames": "change",
    "shutil.move": "change", "os.mkdir": "change", "os.makedirs": "change", "os.chmod": "change", "os.chown": "change",
    "os.truncate": "change", "os.utime": "change", "os.mkfifo": "change", "os.mknod": "change",
    "numpy.save": "write", "numpy.savetxt": "write", "numpy.savez": "write", "pyarrow.parquet.write_table": "write",
    "pyarrow.csv.write_csv": "write", "pandas.ExcelWriter": "write", "matplotlib.pyplot.savefig": "write",
}
CHANGE_SECOND = {"os.rename": "change", "os.replace": "change", "os.renames": "change", "shutil.move": "write",
                 "shutil.copy": "write", "shutil.copyfile": "write", "shutil.copy2": "write", "shutil.copytree": "write",
                 "os.link": "change", "os.symlink": "change", "pyarrow.parquet.write_table": "write"}
OPEN = {"open", "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open", "os.open", "zipfile.ZipFile",
        "tarfile.open", "gzip.GzipFile", "io.FileIO"}
PATH_METHODS = {"read_text": "read", "read_bytes": "read", "iterdir": "list", "glob": "list", "rglob": "list",
                "write_text": "write", "write_bytes": "write", "unlink": "delete", "rmdir": "delete", "touch": "write",
                "mkdir": "change", "rename": "change", "replace": "change", "chmod": "change", "symlink_to": "change",
                "hardlink_to": "change", "readlink": "read"}
# written by name whatever the object is: tables and figures
WRITERS = {"to_csv", "to_parquet", "to_json", "to_excel", "to_pickle", "to_html", "to_feather", "to_orc", "to_hdf",
           "to_xml", "to_stata", "to_latex", "to_markdown", "savefig", "write_csv", "write_parquet", "write_json",
           "write_ndjson"}
URL = {"urllib.request.urlopen", "urllib.request.urlretrieve", "urllib.request.Request", "urlopen",
       "aiohttp.request", "websocket.create_connection", "websockets.connect"}
URL |= {m + "." + v for m in ("requests", "httpx", "requests.Session()", "requests.session()", "httpx.Client()",
                              "httpx.AsyncClient()", "aiohttp.ClientSession()")
        for v in ("get", "post", "put", "patch", "delete", "head", "options", "stream")}
URL_SECOND = {m + ".request" for m in ("requests", "httpx", "requests.Session()", "requests.session()",
                                       "httpx.Client()", "urllib3.PoolManager()", "aiohttp.ClientSession()")}
HOST = {"socket.create_connection", "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyname_ex",
        "socket.socket().connect", "socket.socket().connect_ex", "socket.socket().sendto",
        "http.client.HTTPConnection", "http.client.HTTPSConnection", "ftplib.FTP", "ftplib.FTP_TLS", "smtplib.SMTP",
        "smtplib.SMTP_SSL", "imaplib.IMAP4", "imaplib.IMAP4_SSL", "poplib.POP3", "telnetlib.Telnet",
        "asyncio.open_connection", "paramiko.SSHClient().connect", "xmlrpc.client.ServerProxy"}
ENDS = {"sys.exit", "exit", "quit", "os._exit", "os.abort", "input", "next", "os.kill", "signal.pause"}
MODULE_NAMES = {"np": "numpy", "pd": "pandas", "plt": "matplotlib.pyplot", "pq": "pyarrow.parquet"}

SAME_PATH = {"os.path.abspath", "os.path.normpath", "os.path.realpath", "os.path.expanduser", "os.fspath", "str",
             "pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath", "io.BytesIO", "sorted", "list", "tuple", "set",
             "reversed"}
SAME_PATH_METHODS = {"resolve", "absolute", "expanduser", "as_posix", "strip", "__str__"}
HIDDEN = {0x00AD, 0x180E, 0x200B, 0x200C, 0x200D, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0xFEFF}
DIRECTION = {0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
UNREADABLE = re.compile("[\0\ud800-\udfff]")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


STARTED = time.monotonic()


class TooLong(Exception):
    pass


def check_time():
    if time.monotonic() - STARTED > SECONDS_MAX:
        raise TooLong


def start_of(node):
    return (node.lineno, node.col_offset)


class Names:
    """Which expressions a name may stand for: scopes, imports, assignments, loops, calls of own functions."""

    def __init__(self, tree):
        self.scope_of = {}     # id(node) -> scope
        self.parent = {None: None}
        self.bound = {}        # (scope, name) -> [(position, kind, expression or qualified name)]
        self.stars = []
        self.functions = {}
        self.nodes = []
        self.strings = {}
        self.quals = {}
        stack = [(tree, None)]
        while stack:
            check_time()
            node, scope = stack.pop()
            self.scope_of[id(node)] = scope
            self.nodes.append(node)
            inner = scope
            if isinstance(node, FUNCTIONS):
                inner = id(node)
                self.parent[inner] = scope
            self.bind_node(node, scope)
            stack.extend((child, inner) for child in ast.iter_child_nodes(node))
        for node in self.nodes:
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.functions:
                self.bind_call(node, self.functions[node.func.id])
        self.positions = {}
        for key, entries in self.bound.items():
            entries.sort(key=lambda entry: entry[0])
            self.positions[key] = [entry[0] for entry in entries]

    def bind(self, scope, target, kind, value):
        if isinstance(target, ast.Name):
            self.bound.setdefault((scope, target.id), []).append((start_of(target), kind, value))
        elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)) \
                and len(target.elts) == len(value.elts) and kind == "is":
            for one, its in zip(target.elts, value.elts):
                self.bind(scope, one, kind, its)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for one in target.elts:
                self.bind(scope, one, "unknown", None)

    def bind_node(self, node, scope):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.split(".")[0]
                whole = alias.name if alias.asname else name
                self.bound.setdefault((scope, name), []).append((start_of(node), "module", whole))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    self.stars.append(node.module or "")
                    continue
                whole = (node.module or "") + "." + alias.name
                self.bound.setdefault((scope, alias.asname or alias.name), []).append((start_of(node), "module", whole))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self.bind(scope, target, "is", node.value)
        elif isinstance(node, (ast.AnnAssign, ast.NamedExpr)) and node.value is not None:
            self.bind(scope, node.target, "is", node.value)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            before = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
            both = ast.copy_location(ast.BinOp(before, node.op, node.value), node.target)
            self.scope_of[id(before)] = self.scope_of[id(both)] = scope
            self.bind(scope, node.target, "is", both)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self.bind(scope, node.target, "each", node.iter)
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)):
            for part in node.generators:
                for entry in [t for t in ast.walk(part.target) if isinstance(t, ast.Name)]:
                    whole = entry is part.target
                    # a comprehension's name is used before it stands there
                    self.bound.setdefault((scope, entry.id), []).append(
                        (start_of(node), "each" if whole else "unknown", part.iter))
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                if item.optional_vars is not None:
                    self.bind(scope, item.optional_vars, "is", item.context_expr)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.functions[node.name] = node
            self.bound.setdefault((scope, node.name), []).append((start_of(node), "unknown", None))
            self.bind_parameters(node)
        elif isinstance(node, ast.Lambda):
            self.bind_parameters(node)

    def bind_parameters(self, function):
        for arg in function.args.posonlyargs + function.args.args + function.args.kwonlyargs:
            self.bound.setdefault((id(function), arg.arg), []).append((start_of(function), "unknown", None))

    def bind_call(self, call, function):
        parameters = [arg.arg for arg in function.args.posonlyargs + function.args.args]
        pairs = list(zip(parameters, call.args)) + [(k.arg, k.value) for k in call.keywords if k.arg]
        for name, value in pairs:
            if not isinstance(value, ast.Starred):
                self.bound.setdefault((id(function), name), []).append((start_of(function), "is", value))

    def lookup(self, node):
        """What a name may be here: the last binding before it, or any in the scopes around."""
        scope, own = self.scope_of.get(id(node)), True
        while True:
            entries = self.bound.get((scope, node.id))
            if entries and own:
                positions = self.positions[(scope, node.id)]
                end = bisect.bisect_left(positions, start_of(node))
                if end:
                    start = bisect.bisect_left(positions, positions[end - 1])
                    return entries[start:min(end, start + VALUES_MAX)]
            elif entries:
                return entries[:VALUES_MAX]
            if scope is None:
                return entries[:VALUES_MAX] if entries else []
            scope, own = self.parent[scope], False

    # ---- qualified names: "os.system", "pathlib.Path().read_text" ----

    def qualified(self, node, depth=0):
        key = id(node)
        if key not in self.quals:
            self.quals[key] = set()  # a cycle finds nothing
            found = self.find_qualified(node, depth) if depth < 40 else set()
            self.quals[key] = set(itertools.islice((q for q in found if len(q) < 120), 8))
        return self.quals[key]

    def find_qualified(self, node, depth):
        if isinstance(node, ast.Name):
            return self.qualified_name(node, depth)
        if isinstance(node, ast.Attribute):
            return {self.plain(q + "." + node.attr) for q in self.qualified(node.value, depth + 1)}
        if isinstance(node, ast.Call):
            return self.qualified_call(node, depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            return {"pathlib.Path()"} if self.is_path(node.left, depth + 1) or self.is_path(node.right, depth + 1) else set()
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            if self.qualified(node.value, depth + 1) & {"sys.modules", "globals()", "vars()", "__builtins__.__dict__"}:
                return {self.plain(str(node.slice.value))}
        if isinstance(node, (ast.Await, ast.Starred)):
            return self.qualified(node.value, depth + 1)
        return set()

    def qualified_name(self, node, depth):
        entries = self.lookup(node)
        if not entries:
            stars = {self.plain(module + "." + node.id) for module in self.stars}
            return stars | {MODULE_NAMES.get(node.id, node.id)}
        found = set()
        for _, kind, value in entries:
            if kind == "module":
                found.add(self.plain(value))
            elif kind == "is":
                found |= self.qualified(value, depth + 1)
            elif kind == "each" and self.is_path(value, depth + 1):
                found.add("pathlib.Path()")
        return found

    def qualified_call(self, node, depth):
        found = set()
        for q in self.qualified(node.func, depth + 1):
            first = node.args[0] if node.args else None
            if q in ("__import__", "importlib.import_module") and isinstance(first, ast.Constant):
                found.add(self.plain(str(first.value)))
            elif q == "getattr" and len(node.args) > 1:
                names = self.values(node.args[1]) or []
                found |= {self.plain(o + "." + n) for o in self.qualified(first, depth + 1) for n in names}
            elif q in ("sorted", "list", "reversed", "set", "tuple") and first is not None:
                found |= self.qualified(first, depth + 1)
            elif q.startswith("pathlib.Path()"):
                found.add("pathlib.Path()" if q.split(".")[-1] in
                          SAME_PATH_METHODS | {"joinpath", "with_suffix", "with_name", "glob", "rglob", "iterdir"}
                          else q + "()")
            elif q in ("pathlib.Path", "pathlib.PosixPath", "pathlib.Path.cwd", "pathlib.Path.home"):
                found.add("pathlib.Path()")
            else:
                found.add(q + "()")
        return found

    @staticmethod
    def plain(name):
        for prefix in ("builtins.", "__builtins__."):
            if name.startswith(prefix):
                return name[len(prefix):]
        if name.startswith("posix."):
            return "os." + name[6:]
        if name.startswith("_io."):
            return name[1:]
        return "pathlib.Path()" if name in ("pathlib.Path().parent", "pathlib.Path().parents") else name

    def is_path(self, node, depth=0):
        return "pathlib.Path()" in self.qualified(node, depth)

    # ---- texts: every value that a path may have, `*` for what is not known; None: nothing is known ----

    def values(self, node, depth=0):
        key = id(node)
        if key not in self.strings:
            self.strings[key] = None
            found = self.find_values(node, depth) if depth < 40 else None
            self.strings[key] = list(dict.fromkeys(found))[:VALUES_MAX] if found else None
        return self.strings[key]

    def joined(self, parts, depth, glue):
        lists = [self.values(part, depth + 1) or ["*"] for part in parts]
        return ["".join(c) if glue is None else join(c) for c in itertools.islice(itertools.product(*lists), VALUES_MAX)]

    def find_values(self, node, depth):
        if isinstance(node, ast.Constant):
            value = node.value.decode("utf-8", "replace") if isinstance(node.value, bytes) else node.value
            return [value] if isinstance(value, str) and len(value) <= 4096 else None
        if isinstance(node, ast.JoinedStr):
            return self.joined(node.values[:32], depth, None)
        if isinstance(node, ast.FormattedValue):
            return self.values(node.value, depth + 1)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self.joined([node.left, node.right], depth, None)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            return self.joined([node.left, node.right], depth, "/")
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            return self.formatted(self.values(node.left, depth + 1))
        if isinstance(node, ast.IfExp):
            return (self.values(node.body, depth + 1) or []) + (self.values(node.orelse, depth + 1) or [])
        if isinstance(node, ast.Name):
            return self.values_of_name(node, depth)
        if isinstance(node, ast.Attribute) and node.attr == "parent":
            return [v.rpartition("/")[0] or "." for v in self.values(node.value, depth + 1) or []]
        if isinstance(node, ast.Call):
            return self.values_of_call(node, depth)
        return None

    @staticmethod
    def formatted(patterns):
        """"data/%s.csv" and "data/{}.csv" with what is put in unknown."""
        if not patterns:
            return None
        for old in ("%s", "%d", "{}", "{0}"):
            patterns = [pattern.replace(old, "*") for pattern in patterns]
        return None if any("%" in p or "{" in p for p in patterns) else patterns

    def values_of_name(self, node, depth):
        found = []
        for _, kind, value in self.lookup(node):
            if kind == "is":
                found += self.values(value, depth + 1) or []
            elif kind == "each":
                found += self.elements(value, depth + 1) or []
        return found

    def elements(self, node, depth):
        """The values that a loop over this goes through."""
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            return [v for e in node.elts[:VALUES_MAX] for v in self.values(e, depth + 1) or []]
        if isinstance(node, ast.Name):
            return [v for _, kind, value in self.lookup(node) if kind == "is"
                    for v in self.elements(value, depth + 1) or []] if depth < 40 else None
        if isinstance(node, ast.Call):
            quals = self.qualified(node.func)
            if quals & {"sorted", "list", "set", "reversed", "tuple"} and node.args:
                return self.elements(node.args[0], depth + 1) if depth < 40 else None
            if quals & {"glob.glob", "glob.iglob"} or {q.split(".")[-1] for q in quals} & {"glob", "rglob", "iterdir"}:
                return self.values(node, depth + 1)
        return None

    def values_of_call(self, node, depth):
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        quals = self.qualified(node.func, depth + 1)
        args = [a for a in node.args if not isinstance(a, ast.Starred)]
        if quals & {"os.path.join"} or (quals & {"pathlib.Path", "pathlib.PurePath"} and len(args) > 1):
            return self.joined(args, depth, "/")
        if quals & SAME_PATH or quals & {"glob.glob", "glob.iglob"}:
            return self.values(args[0], depth + 1) if args else ["."] if quals & {"pathlib.Path"} else None
        if quals & {"os.getcwd", "pathlib.Path.cwd"}:
            return ["."]
        if quals & {"pathlib.Path.home"}:
            return ["~"]
        if quals & {"os.path.dirname"} and args:
            return [v.rpartition("/")[0] or "." for v in self.values(args[0], depth + 1) or []]
        if method in SAME_PATH_METHODS and not args:
            return self.values(node.func.value, depth + 1)
        if method == "format":
            return self.formatted(self.values(node.func.value, depth + 1))
        if method in ("joinpath", "glob") and self.is_path(node.func.value, depth + 1):
            return self.joined([node.func.value] + args, depth, "/")
        if method in ("rglob", "iterdir") and self.is_path(node.func.value, depth + 1):
            return [v + "/*" for v in self.values(node.func.value, depth + 1) or []]
        return None


def join(parts):
    whole = ""
    for part in parts:
        whole = part if part.startswith(("/", "~")) or not whole else whole.rstrip("/") + "/" + part
    return whole


def argument(call, spec):
    position, names = spec
    if len(call.args) > position and not any(isinstance(a, ast.Starred) for a in call.args[:position + 1]):
        return call.args[position]
    return next((k.value for k in call.keywords if k.arg in names), None)


class Facts:
    def __init__(self):
        self.found = []
        self.seen = set()

    def add(self, kind, what, node, **more):
        if len(self.found) > FACTS_MAX:
            return
        if len(self.found) == FACTS_MAX:  # what follows could hide behind them
            kind, what, more = "uninspected", "what follows after %d findings" % FACTS_MAX, {}
        fact = {"kind": kind, "what": what, "line": node.lineno, "column": node.col_offset + 1,
                "end_line": node.end_lineno or node.lineno, "end_column": max(node.end_col_offset or 0, 1)}
        fact.update({k: v for k, v in more.items() if v is not None})
        for key, value in fact.items():
            if isinstance(value, str):  # JSON readers take neither half surrogates nor NUL
                fact[key] = UNREADABLE.sub("\N{REPLACEMENT CHARACTER}", value[:TEXT_MAX])
        key = json.dumps(fact, sort_keys=True)
        if key not in self.seen:
            self.seen.add(key)
            self.found.append(fact)


class Program:
    """One syntax tree; `at` is the node that stands for it when it was a text inside another program."""

    def __init__(self, tree, facts, nested=0, at=None):
        self.names = Names(tree)
        self.facts = facts
        self.nested = nested
        self.at = at
        self.moved = any("os.chdir" in self.names.qualified(n.func) for n in self.names.nodes if isinstance(n, ast.Call))

    def add(self, kind, what, node, **more):
        self.facts.add(kind, what, self.at or node, **more)

    def read(self):
        for node in sorted(self.names.nodes, key=lambda node: getattr(node, "lineno", 0)):
            check_time()
            if isinstance(node, ast.Call):
                self.read_call(node)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                modules = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
                for module in modules:
                    if module.split(".")[0] in NATIVE:
                        self.add("native", module, node)
            elif isinstance(node, ast.Attribute) and node.attr in INTROSPECTION:
                self.add("introspection", node.attr, node)
            elif isinstance(node, ast.While):
                self.read_loop(node)

    # ---- calls ----

    def read_call(self, call):
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        for q in sorted(self.names.qualified(call.func)):
            if q in PROCESS:
                self.add("process", q, call, command=self.command(q, call))
            elif q in CODE:
                self.read_code(q, call)
            elif q.split(".")[0] in NATIVE and q.count(".") and not q.startswith("ctypes.util"):
                self.add("native", q, call)
            elif q in PICKLE or (q == "numpy.load" and self.allows_pickle(call)):
                self.add("pickle", q, call)
            self.read_network(q, call)
            self.read_files(q, call)
            if q.startswith("pathlib.Path().") and q.split(".")[-1] in PATH_METHODS | {"open": "open"}:
                self.read_path_method(q, call)
        if method in WRITERS and not self.names.qualified(call.func) & set(CHANGE):
            self.add_paths("write", method, call, argument(call, FIRST))

    def command(self, q, call):
        if q in SHELL or any(k.arg == "shell" and not (isinstance(k.value, ast.Constant) and not k.value.value)
                             for k in call.keywords):
            return "sh"
        first = argument(call, (1 if q.startswith("os.spawn") else 0, ("args", "path", "file", "program", "cmd")))
        if isinstance(first, (ast.List, ast.Tuple)) and first.elts:
            first = first.elts[0]
        values = self.names.values(first) if first is not None else None
        return values[0] if values and len(values) == 1 and "*" not in values[0] else None

    @staticmethod
    def allows_pickle(call):
        return any(k.arg == "allow_pickle" and not (isinstance(k.value, ast.Constant) and k.value.value is False)
                   for k in call.keywords)

    def read_code(self, q, call):
        first = argument(call, (0, ("source", "name")))
        if q in ("__import__", "importlib.import_module"):
            if not isinstance(first, ast.Constant):
                self.add("code", q, call)
            elif str(first.value).split(".")[0] in NATIVE:
                self.add("native", str(first.value), call)
            return
        if q not in ("eval", "exec", "compile"):
            self.add("code", q, call)
            return
        if not isinstance(first, ast.Constant) or not isinstance(first.value, (str, bytes)):
            values = self.names.values(first) if first is not None else None
            made = first is not None and "compile()" in self.names.qualified(first)
            if made:  # judged where it was compiled
                return
            if not values or any("*" in v for v in values) or not isinstance(first, ast.Name):
                self.add("code", q, call)
                return
            texts = values
        else:
            texts = [first.value]
        for text in texts:
            self.read_literal_code(q, call, text)

    def read_literal_code(self, q, call, text):
        """A literal text is read like the program around it."""
        if self.nested >= NESTED_MAX:
            self.add("code", q, call)
            return
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        Program(tree, self.facts, self.nested + 1, self.at or call).read()

    # ---- network ----

    def read_network(self, q, call):
        target = None
        if q in URL:
            target = argument(call, (0, ("url", "uri")))
        elif q in URL_SECOND:
            target = argument(call, (1, ("url",)))
        elif q in HOST:
            target = argument(call, (0, ("host", "address")))
            if q.endswith("().sendto"):
                target = call.args[-1] if call.args else None
        else:
            return
        port = None
        if isinstance(target, ast.Name):
            entries = [v for _, kind, v in self.names.lookup(target) if kind == "is"]
            target = entries[0] if len(entries) == 1 and isinstance(entries[0], ast.Tuple) else target
        if isinstance(target, ast.Tuple) and target.elts:
            port = self.number(target.elts[1]) if len(target.elts) > 1 else None
            target = target.elts[0]
        elif q in HOST and not q.startswith("socket.socket") and len(call.args) > 1:
            port = self.number(call.args[1])
        values = self.names.values(target) if target is not None else None
        for value in values or [None]:
            host = self.host(value)
            if q == "urllib.request.Request" and not host:
                continue  # nothing is sent yet: urlopen tells
            self.add("network", q, call, host=host, port=port if host else None)

    @staticmethod
    def host(value):
        """The host, with its port, of a URL or a host; None when it is not known."""
        if value is None:
            return None
        scheme, found, rest = value.partition("://")
        host = (rest if found else value).split("/")[0].split("?")[0].rpartition("@")[2]
        return host if host and "*" not in host else None

    def number(self, node):
        if isinstance(node, ast.Name):
            entries = [v for _, kind, v in self.names.lookup(node) if kind == "is"]
            node = entries[0] if len(entries) == 1 else node
        value = node.value if isinstance(node, ast.Constant) else None
        return value if type(value) is int and 0 < value < 65536 else None

    # ---- files ----

    def add_paths(self, kind, what, call, node):
        for value in (self.names.values(node) if node is not None else None) or []:
            if "://" in value:
                if kind in ("read", "list"):
                    scheme = value.partition("://")[0]
                    if scheme == "file":
                        self.add(kind, what, call, path=value[7:])
                    else:
                        self.add("network", what, call, host=self.host(value))
                continue
            if value.startswith("/proc/self/cwd/"):
                value = "./" + value[len("/proc/self/cwd/"):]
            if value.startswith("*") or not value or (self.moved and not value.startswith(("/", "~"))):
                continue
            if len(value) > TEXT_MAX or "\0" in value:
                continue
            self.add(kind, what, call, path=value)

    def read_files(self, q, call):
        if q in OPEN:
            self.add_paths(self.open_kind(q, call, 1), q, call, argument(call, FIRST))
        elif q in READ:
            node = argument(call, FIRST)
            if q == "sqlite3.connect" and self.names.values(node) == [":memory:"]:
                return
            if isinstance(node, (ast.List, ast.Tuple)):
                for element in node.elts:
                    self.add_paths(READ[q], q, call, element)
            else:
                self.add_paths(READ[q], q, call, node if node is not None or READ[q] != "list" else ast.Constant("."))
        if q in CHANGE:
            spec = FIRST if q != "pyarrow.parquet.write_table" else SECOND
            node = argument(call, spec)
            self.add_paths(CHANGE[q], q, call, node)
            if CHANGE[q] == "delete" and node is not None and not self.names.values(node):
                self.add("delete", q, call)
        if q in CHANGE_SECOND:
            self.add_paths(CHANGE_SECOND[q], q, call, argument(call, SECOND))

    def open_kind(self, q, call, position):
        mode = argument(call, (position, ("mode", "flags")))
        if mode is None:
            return "read"
        if q == "os.open":
            names = {n.attr for n in ast.walk(mode) if isinstance(n, ast.Attribute)}
            names |= {n.id for n in ast.walk(mode) if isinstance(n, ast.Name)}
            return "write" if names & {"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"} else "read"
        modes = self.names.values(mode) or ["r"]
        return "write" if any(set(m) & set("wax+") for m in modes) else "read"

    def read_path_method(self, q, call):
        method = q.split(".")[-1]
        kind = self.open_kind("open", call, 0) if method == "open" else PATH_METHODS[method]
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        self.add_paths(kind, q.replace("pathlib.Path()", "Path"), call, receiver)
        if method in ("rename", "replace") and call.args:
            self.add_paths("write", q.replace("pathlib.Path()", "Path"), call, call.args[0])

    # ---- loops ----

    def read_loop(self, loop):
        if not isinstance(loop.test, ast.Constant) or not loop.test.value:
            return
        stack = [(node, True) for node in loop.body]
        while stack:
            node, own = stack.pop()
            if isinstance(node, (ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await, ast.Assert)):
                return
            if isinstance(node, ast.Break) and own:
                return
            if isinstance(node, ast.Call) and self.names.qualified(node.func) & ENDS:
                return
            if isinstance(node, FUNCTIONS + (ast.ClassDef,)):
                continue
            inner = own and not isinstance(node, (ast.For, ast.While, ast.AsyncFor))
            if isinstance(node, (ast.For, ast.While, ast.AsyncFor)) and own:
                stack.extend((child, own) for child in node.orelse)
                stack.extend((child, False) for child in node.body)
                stack.append((node.iter if hasattr(node, "iter") else node.test, False))
                continue
            stack.extend((child, inner) for child in ast.iter_child_nodes(node))
        head = ast.copy_location(ast.Constant(None), loop.test)
        head.lineno, head.col_offset = loop.lineno, loop.col_offset
        self.add("endless", "this loop", head)


class Spot:
    """A span on one line, for what is no node."""

    def __init__(self, line, column, length):
        self.lineno = self.end_lineno = line
        self.col_offset, self.end_col_offset = column, column + length


def read_text(text, facts):
    """Characters that hide or reorder what is read, and identifiers that look like others."""
    if text.isascii():
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.isascii():
            continue
        for at, c in enumerate(line):
            code = ord(c)
            hidden = code in HIDDEN or 0xE0000 <= code <= 0xE007F
            if not hidden and code not in DIRECTION:
                continue
            joins_script = code in (0x200C, 0x200D) and at > 0 and not line[at - 1].isascii()
            if joins_script or (code == 0xFEFF and number == 1 and at == 0):
                continue
            column = len(line[:at].encode("utf-8", "replace"))
            facts.add("text", "U+%04X %s" % (code, unicodedata.name(c, "")), Spot(number, column, len(c.encode())))
    read_identifiers(text, facts)


def script_of(c):
    return unicodedata.name(c, "").split(" ")[0] if c.isalpha() else ""


def read_identifiers(text, facts):
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            name = token.string
            if token.type != tokenize.NAME or name.isascii():
                continue
            scripts = {script_of(c) for c in name} - {""}
            if unicodedata.normalize("NFKC", name) != name or ("LATIN" in scripts and scripts & {"CYRILLIC", "GREEK"}):
                row, column = token.start
                before = len(token.line[:column].encode("utf-8", "replace"))
                facts.add("text", "an identifier that looks like another: " + name, Spot(row, before, len(name.encode())))
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass


def inspect(source):
    facts = Facts()
    if len(source) > SOURCE_MAX:
        facts.add("uninspected", "a program above %d MiB" % (SOURCE_MAX >> 20), Spot(1, 0, 1))
        return {"syntax_error": False, "facts": facts.found}
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # the interpreter that runs it reads it in the same way, and will say what is wrong
        return {"syntax_error": True, "facts": []}
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        read_text(source.decode(encoding, "replace"), facts)
        Program(tree, facts).read()
    except (RecursionError, MemoryError):
        facts.add("uninspected", "a program nested too deeply", Spot(1, 0, 1))
    except TooLong:
        facts.add("uninspected", "a program that takes more than %d s to read" % SECONDS_MAX, Spot(1, 0, 1))
    facts.found.sort(key=lambda fact: (fact["line"], fact["column"]))
    return {"syntax_error": False, "facts": facts.found}


def main():
    with open(sys.argv[1] if len(sys.argv) > 1 else "/input", "rb") as file:
        source = file.read()
    json.dump(inspect(source), sys.stdout)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
