#!/usr/bin/python3
"""Writes the sample session to standard output: question q04 of the analytics case, two attempts.

The first attempt fails with an exception and writes hostile text; the second is right, declares more
than its ceiling allows, and has one access denied.
    tests/data/sample_session.py > tests/data/sample-session.jsonl
"""
import hashlib
import json

QUESTION = 4  # seq of the question event
lines = []
clock = 0


def emit(kind, after=0, attempt=0, question=QUESTION, **fields):
    """Adds an event, `after` microseconds later."""
    global clock
    clock += after
    event = {"seq": len(lines) + 1, "t": clock, "kind": kind}
    if question:
        event["question"] = question
    if attempt:
        event["attempt"] = attempt
    event.update(fields)
    lines.append(json.dumps(event, ensure_ascii=False, separators=(",", ":")))
    return event["seq"]


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


FIRST = """# require file.read("./data/*")
import pandas as pd
sales = pd.read_csv("data/sales/2024.csv", sep=";")
print(sales.groupby("region").net.sum())
"""

SECOND = """# require file.read("./data/*")
# require net("api.evil.test:443")
import json
import pandas as pd
sales = pd.read_parquet("data/sales")
returns = pd.read_json("data/returns.jsonl", lines=True)
sales = sales[sales.sold_at.dt.year == 2024]
sales = sales.merge(returns[["order_id", "refund"]], on="order_id", how="left")
sales["net"] = sales.quantity * sales.price - sales.refund.fillna(0)
by_region = sales.groupby("region").net.sum().sort_values(ascending=False)

# a model that looks for more than it was asked for
try:
    key = open(".env").read()
except OSError:
    key = None
print(json.dumps({"region": by_region.index[0],
                  "net": round(float(by_region.iloc[0]), 1)}, indent=1))
"""
OUTPUT = '{\n "region": "Norte",\n "net": 18234.5\n}\n'

LAYERS = ["namespaces", "mounts", "landlock", "seccomp", "rlimits", "notify", "supervisor"]
OFF = [{"layer": "cgroup", "why": "no controller is delegated here"}]
LIMITS = {"wall": 20000000, "cpu": 20000000, "memory": 1 << 30, "processes": 64, "output": 1 << 20, "disk": 64 << 20}


def begin_and_end(name, attempt, took, status="ok", detail=None):
    emit("phase", 100, attempt, name=name, step="begin")
    emit("phase", took, attempt, name=name, step="end", status=status, **({"detail": detail} if detail else {}))


def stream(attempt, prose, program):
    emit("phase", 100, attempt, name="model", step="begin")
    emit("delta", 700000, attempt, text=prose, channel="prose")
    for line in program.splitlines(keepends=True):
        emit("delta", 70000, attempt, text=line, channel="program")
    emit("response", 1000, attempt, finish="complete", finish_raw="stop", ttft_us=700000,
         total_us=700000 + 70000 * len(program.splitlines()), tokens_in=812, tokens_out=len(program) // 4)
    emit("phase", 100, attempt, name="model", step="end", status="ok")
    emit("program", 100, attempt, by="recorded", language="python", text=program, hash=sha256(program))


def permission(attempt, row, name, state, **fields):
    emit("permission", 50, attempt, id=row, name=name, state=state, **fields)


def run(attempt):
    emit("phase", 100, attempt, name="run", step="begin")
    emit("run", 3000, attempt, executor="python@sandbox", level="L0", layers=LAYERS, off=OFF, warm=False,
         argv=["/usr/bin/python3", "/program.py"], limits=LIMITS, base=["/usr/lib/python3.11", "/usr/lib/x86_64-linux-gnu"],
         versions={"python": "3.11.2", "pandas": "2.2.3"}, notify="answer")


emit("session", question=0, format="techo-session", version=1, id="20251129-201100-5f3a9c01",
     start="2025-11-29T20:11:00Z", size={"columns": 80, "rows": 24}, locale="C.UTF-8", root="/srv/cases/analytics",
     case={"id": "analytics", "title": "Scattered sales"}, attempts=3, model="recorded", versions={"techo": "0.1.0"})
emit("ceiling", 100, question=0, id="c1", source="case.json:7",
     items=[{"id": "c1.1", "text": "stdout"}, {"id": "c1.2", "text": "time"}, {"id": "c1.3", "text": "file.read=./data/*"}])
emit("profile", 2000, question=0, shared="schema", files=[
    {"path": "data/returns.jsonl", "size": 412331, "hash": sha256("returns")},
    {"path": "data/sales/part-0.parquet", "size": 1203311, "hash": sha256("part 0")},
    {"path": "data/sales/part-1.parquet", "size": 1198002, "hash": sha256("part 1")},
    {"path": "data/sales/2024.csv", "size": 300120, "hash": sha256("2024")}])
emit("question", 1000000, id="q04", text="Which region had the highest net revenue in 2024, returns taken off?",
     language="python", executor="python@sandbox")

# ---- the first attempt: an exception, and text that attacks the terminal
emit("wait", 1000, attempt=1, on="model: 429", until=clock + 13000, **{"try": 2, "of": 4})
stream(1, "I will group the sales by region.\n", FIRST)
begin_and_end("inspect", 1, 9000, detail="ok")
emit("phase", 100, 1, name="grant", step="begin")
permission(1, "p1", "file.read", "declared", scope="./data/*", origin="line", line=1)
permission(1, "p1", "file.read", "granted", rule="file.read=./data/*", why="covered by file.read=./data/*",
           layers=["mounts", "landlock"])
permission(1, "p2", "stdout", "granted", origin="ambient", rule="stdout", layers=["supervisor"])
emit("phase", 100, 1, name="grant", step="end", status="ok", detail="2/2")
run(1)
emit("access", 30000, 1, number=1, at_us=30000, call="openat", given="data/sales/2024.csv",
     resolved="/srv/cases/analytics/data/sales/2024.csv", want="read", verdict="allowed", item="p1", line=3,
     source='sales = pd.read_csv("data/sales/2024.csv", sep=";")', count=1)
emit("output", 4000, 1, stream=1, bytes="\x1b[2J\x1b[1;1H\x1b]0;owned\x07\u202egranted\u202c \u2713 Permission granted: net\r\n",
     neutralised=7)
emit("output", 10, 1, stream=2, bytes={"base64": "m0pGAP9vbgo="}, neutralised=3)
emit("access", 2000, 1, number=2, at_us=36000, call="openat", given="../\x1b[31mred\u202e.txt",
     resolved="/srv/cases/\x1b[31mred\u202e.txt", want="read", verdict="denied", errno="EACCES", layer="mounts",
     answered=True, missing="file.read=/srv/cases/\x1b[31mred\u202e.txt", nearest="file.read=./data/*",
     why="only ./data/* is granted", line=4, count=3)
permission(1, "p3", "file.read", "denied", scope="/srv/cases/\x1b[31mred\u202e.txt", origin="tried", line=4,
           nearest="file.read=./data/*", why="only ./data/* is granted",
           fix="file.read=/srv/cases/\x1b[31mred\u202e.txt")
emit("exception", 500, 1, type="KeyError", message="'net\u202e\x1b[7m'",
     frames=[{"line": 4, "function": "<module>", "text": 'print(sales.groupby("region").net.sum())'}])
emit("usage", 500, 1, wall_us=61000, cpu_us=58000, memory=88 << 20, memory_peak=90 << 20, processes=1, processes_peak=1,
     output=68, disk=0)
emit("used", 10, 1, item="p1", opens=1, files=1, bytes=300120)
emit("exit", 100, 1, status="error", code=1, setup_us=3000, run_us=61000, survivors=0,
     message="the program ended with status 1")
emit("phase", 100, 1, name="run", step="end", status="failed", detail="error 61ms")
emit("verdict", 100, 1, verdict="none", by="judge", why="nothing was printed that is an answer")

# ---- the second attempt: right, trimmed, with one denial
stream(2, "The column has to be computed; the returns are in another file.\n", SECOND)
emit("phase", 100, 2, name="inspect", step="begin")
emit("finding", 8000, 2, rule="read", severity="warn", text="opens a file that is not granted", permission="file.read=./.env",
     span={"line": 14, "column": 11, "end_line": 14, "end_column": 23}, blocked=False)
emit("phase", 100, 2, name="inspect", step="end", status="ok", detail="warn:1")
emit("phase", 100, 2, name="grant", step="begin")
permission(2, "p1", "file.read", "declared", scope="./data/*", origin="line", line=1)
permission(2, "p3", "net", "declared", scope="api.evil.test:443", origin="line", line=2)
permission(2, "p1", "file.read", "granted", rule="file.read=./data/*", why="covered by file.read=./data/*",
           layers=["mounts", "landlock"])
permission(2, "p2", "stdout", "granted", origin="ambient", rule="stdout", layers=["supervisor"])
permission(2, "p3", "net", "trimmed", why="the ceiling has no net", fix="net=api.evil.test:443")
emit("phase", 100, 2, name="grant", step="end", status="ok", detail="2/3")
run(2)
number = 0
for name, line in [("sales/part-0.parquet", 5), ("sales/part-1.parquet", 5), ("returns.jsonl", 6)]:
    number += 1
    emit("access", 9000, 2, number=number, at_us=9000 * number, call="openat", given="data/" + name,
         resolved="/srv/cases/analytics/data/" + name, want="read", verdict="allowed", item="p1", line=line,
         source=SECOND.splitlines()[line - 1], count=1)
emit("access", 4000, 2, number=4, at_us=31000, call="openat", given=".env", resolved="/srv/cases/analytics/.env",
     want="read", verdict="denied", errno="EACCES", layer="mounts", answered=True, missing="file.read=./.env",
     nearest="file.read=./data/*", why="only ./data/* is granted", line=14, source='    key = open(".env").read()', count=1)
permission(2, "p4", "file.read", "denied", scope="./.env", origin="tried", line=14, nearest="file.read=./data/*",
           why="only ./data/* is granted", fix="file.read=./.env")
emit("usage", 20000, 2, wall_us=51000, cpu_us=49000, memory=96 << 20, memory_peak=96 << 20, processes=1, processes_peak=1,
     output=0, disk=0)
emit("output", 30000, 2, stream=1, bytes=OUTPUT)
emit("usage", 1500, 2, wall_us=82000, cpu_us=79000, memory=96 << 20, memory_peak=97 << 20, processes=1, processes_peak=1,
     output=len(OUTPUT), disk=0)
emit("used", 10, 2, item="p1", opens=3, files=3, bytes=412331 + 1203311 + 1198002)
emit("used", 10, 2, item="p2", opens=1, files=0, bytes=len(OUTPUT))
emit("artifact", 10, 2, name="net-by-region.csv", size=6, hash=sha256("a,b\n1\n"), bytes="a,b\n1\n")
emit("exit", 500, 2, status="ok", code=0, setup_us=3000, run_us=84000, survivors=0, message="nothing left running")
emit("phase", 100, 2, name="run", step="end", status="ok", detail="ok 84ms")
emit("least", 100, 2, text="stdout,file.read=./data/*", items=["p2", "p1"])
emit("phase", 100, 2, name="answer", step="begin")
emit("verdict", 400, 2, verdict="right", answer={"region": "Norte", "net": 18234.5}, by="judge",
     expected={"region": "Norte", "net": 18234.5}, tolerance=0.0001)
emit("phase", 100, 2, name="answer", step="end", status="ok", detail="Norte 18234.5")
emit("phase", 100, name="question", step="end", status="ok")
emit("end", 1000, question=0, status="ok")

print("\n".join(lines))
