"""Did an attack come to what its row says, was it the right layer, did its control work, and is nothing changed?"""
from scene import CANARY, ROOT


def lines(result):
    """(kind, name, word) of each line that the program said."""
    return [tuple(parts) for parts in (line.split() for line in result["out"].splitlines()) if len(parts) == 3]


def tries(attack, mode, result):
    wanted = attack.wanted(mode)
    answered = mode == "answer" and any(row.get("answered") for row in result["accesses"])
    seen = [(name, word) for kind, name, word in lines(result) if kind == "try"]
    if attack.stops and not seen and "|" not in attack.status:
        yield "it tried nothing"
    for name, word in seen:
        words = wanted.get(name, wanted[""])
        if word not in words and not (answered and word == "EACCES"):
            yield f"{name} came to {word}, not {'/'.join(sorted(words))}"
    for name in wanted:
        if name and result.get("exit", {}).get("status") == attack.status and name not in dict(seen):
            yield f"{name} was not tried"


def controls(result):
    seen = [(name, word) for kind, name, word in lines(result) if kind == "control"]
    if not seen:
        yield "it has no control"
    for name, word in seen:
        if word != "works":
            yield f"the control {name} came to {word}"


def reports(attack, mode, result, scene):
    denied = [row for row in result["accesses"] if row["verdict"] == "denied"]
    for what in attack.report or ():
        rows = [row for row in denied if row["resolved"] == what.replace("@", str(scene.root))]
        if not rows:
            yield f"{what} is in no report"
        elif not any(row["layer"] == attack.layer for row in rows):
            yield f"{what} is said to be stopped by {rows[0]['layer']}, not {attack.layer}"
        for row in rows:
            if mode == "observe" and row["answered"]:
                yield f"{what} was answered, although nothing should be"


def effects(result, scene):
    after = scene.hashes()
    for path in sorted({*scene.before, *after}):
        if scene.before.get(path) != after.get(path):
            yield f"{path} of the host is changed: {scene.before.get(path)} is now {after.get(path)}"
    for reached in scene.connections():
        yield f"the host's listener {reached} was reached"
    for process in scene.survivors():
        yield f"process {process} is still there"
    if CANARY in result["out"] + result.get("err", ""):
        yield "the canary was printed"


def read_calls():
    """The table of system calls: number to (answer, answer where memory is sampled). What is not in it is ENOSYS."""
    rows = (line.split() for line in (ROOT / "tests" / "escapes" / "calls.txt").read_text().splitlines() if line[:1].isdigit())
    return {int(number): (counted, sampled) for number, counted, sampled, _ in rows}


def calls(result):
    """The sweep over all numbers against the table."""
    table, sampled = read_calls(), result["cell"]["sampled"]
    for kind, number, word in lines(result):
        wanted = table.get(int(number), ("ENOSYS", "ENOSYS"))[sampled] if kind == "number" else word
        if word not in wanted.split("|"):
            yield f"system call {number} came to {word}, not {wanted}"


def end(attack, result):
    end = result.get("exit", {})
    statuses = attack.status.split("|")
    if end.get("status") not in statuses or (end["status"] == "signal" and end["signal"] != attack.signal):
        yield f"it ended {end.get('status')} ({end.get('message')}), not {attack.status}: {result.get('err', '')}"
    if end.get("unkillable"):
        yield "something did not die"
    if end.get("survivors", 0) < attack.survivors:
        yield f"only {end.get('survivors')} processes were left to be killed"


def bounds(attack, result):
    for what, most in attack.bounded.items():
        if result.get("usage", {}).get(what, 0) > most:
            yield f"{what} was {result['usage'][what]}, above {most}"


def problems(attack, mode, result, scene):
    """Why the row fails; nothing when it holds."""
    if "error" in result:
        return [result["error"]]
    return [*end(attack, result), *bounds(attack, result), *calls(result), *tries(attack, mode, result), *controls(result),
            *reports(attack, mode, result, scene), *effects(result, scene)]
