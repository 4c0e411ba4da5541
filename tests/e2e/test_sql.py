"""sql@sandbox: DuckDB in the sandbox, with its own fence on. Results, errors, and who refuses what."""
import json
import pathlib
import subprocess

import pytest

from conftest import SECRET

ROOT = pathlib.Path(__file__).resolve().parents[2]
CEILING = "stdout,time,file.read=./data/*"


def run(world, program, *options, ceiling=CEILING):
    return world.run(program, "-c", ceiling, *options, name="program.sql")


def answer(result):
    assert result.status == 0, result.out
    return json.loads("".join(event["bytes"] for event in result.kind("output")))


# ---- results -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("query, expected", [
    ("SELECT sum(net) FROM 'data/sales.csv'", 30),
    ("SELECT region, net FROM 'data/sales.csv' WHERE net > 15", {"region": "Sur", "net": 20}),
    ("SELECT region, net FROM 'data/sales.csv' ORDER BY net",
     [{"region": "Norte", "net": 10}, {"region": "Sur", "net": 20}]),
    ("SELECT region FROM 'data/sales.csv' ORDER BY net", ["Norte", "Sur"]),
    ("SELECT list(region ORDER BY net) FROM 'data/sales.csv' WHERE net > 15", ["Sur"]),
    ("SELECT region FROM 'data/sales.csv' WHERE net > 99", []),
])
def test_the_last_result_is_printed_as_one_json_value(world, query, expected):
    assert answer(run(world, query)) == expected


@pytest.mark.parametrize("value, expected", [
    ("NULL", None), ("true", True), ("-170141183460469231731687303715884105728", -(2 ** 127)),
    ("(-0.05)::DECIMAL(9, 3)", -0.05), ("1e300", 1e300), ("'inf'::DOUBLE", "inf"), ("1.1::FLOAT", 1.1),
    ("'a longer text than twelve \"bytes\"'", 'a longer text than twelve "bytes"'), ("'ñ'", "ñ"),
    ("DATE '2024-02-29'", "2024-02-29"), ("DATE '1969-12-31'", "1969-12-31"),
    ("TIMESTAMP '2024-02-29 23:59:59.5'", "2024-02-29 23:59:59.500000"),
    ("TIMESTAMPTZ '2024-07-01 12:00:00+02'", "2024-07-01T10:00:00Z"), ("TIME '08:30:00'", "08:30:00"),
    ("[1, NULL, 3]", [1, None, 3]), ("{'a': 1, 'b': ['x']}", {"a": 1, "b": ["x"]}), ("MAP {7: 'x'}", {"7": "x"}),
    ("[1, 2]::INTEGER[2]", [1, 2]), ("'b'::ENUM ('a', 'b')", "b"), ("'\\x00\\xFF'::BLOB", "00ff"),
    ("'5f1c7e00-0000-4000-8000-000000000001'::UUID", "5f1c7e00-0000-4000-8000-000000000001"),
])
def test_every_type_has_a_json_form(world, value, expected):
    assert answer(run(world, f"SELECT {value} AS value")) == expected


def test_the_result_comes_with_columns_types_and_the_number_of_rows(world):
    result = run(world, "SELECT i AS number, 'x' AS word FROM range(1000) t(i)")
    grid, = result.kind("result")
    assert grid["columns"] == ["number", "word"]
    assert grid["types"] == ["BIGINT", "VARCHAR"]
    assert grid["rows"][0] == [0, "x"]
    assert len(grid["rows"]) == 200 and grid["total"] == 1000


def test_several_statements_share_a_database_and_the_last_query_answers(world):
    assert answer(run(world, "CREATE TABLE t AS SELECT 4 AS n; SELECT ';'; SELECT n FROM t; DROP TABLE t;")) == 4


def test_the_preamble_runs_first_and_is_not_counted(world):
    world.write("preamble.sql", "CREATE TABLE t AS SELECT 4 AS n;\n\n")
    result = run(world, "SELECT n FROM t;\nSELECT m FROM t;", "--preamble", "preamble.sql")
    assert [event["frames"][0]["line"] for event in result.kind("exception")] == [2]


# ---- errors ------------------------------------------------------------------------------------------------------

def test_an_error_has_its_type_line_and_caret(world):
    result = run(world, "SELECT 1; -- ; one\n\n  SELECT 'a;b' AS a,\n         wrong FROM range(3);\n")
    assert result.status == 1
    error, = result.kind("exception")
    assert error["type"] == "Binder Error"
    assert error["frames"] == [{"line": 4, "function": "", "text": "         wrong FROM range(3);"}]
    said = "".join(event["bytes"] for event in result.kind("output"))
    assert "LINE 4:          wrong FROM range(3);\n                 ^" in said


def test_a_syntax_error_is_one_too(world):
    error, = run(world, "SELECT 1;\nSELEC 2;\n").kind("exception")
    assert (error["type"], error["frames"][0]["line"]) == ("Parser Error", 2)


# ---- who refuses -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("statement", [
    "SELECT content FROM read_text('.env')",
    "SELECT content FROM read_text('data/../.env')",
    "COPY (SELECT 1) TO 'notes.txt'",
    "ATTACH 'other.db'",
    "SELECT * FROM glob('/etc/*')",
    "INSTALL httpfs",
    "SET enable_external_access = true",
    "SET allowed_directories = ['/']",
])
def test_the_fence_of_duckdb_refuses_first(world, statement):
    result = run(world, statement)
    assert result.status == 1
    assert result.kind("exception")[0]["type"] in ("Permission Error", "Invalid Input Error")
    assert SECRET not in result.out
    assert not result.kind("access") or result.kind("access")[0]["verdict"] != "allowed"


def test_the_sandbox_refuses_what_the_fence_lets_through(world):
    before = (world.folder / "data/sales.csv").read_bytes()
    result = run(world, "COPY (SELECT 1) TO 'data/sales.csv'")
    assert result.status == 1
    assert any(event["missing"].startswith("file.write=") for event in result.kind("access")
               if event["verdict"] == "denied")
    assert (world.folder / "data/sales.csv").read_bytes() == before


def test_a_granted_write_and_the_own_folder_work(world):
    result = run(world, "COPY (SELECT 7 AS n) TO 'data/made.csv'; COPY (SELECT 8 AS n) TO 'out/n.csv'; SELECT 'ok'",
                 ceiling=CEILING + ",file.write=./data/*")
    assert answer(result) == "ok"
    assert (world.folder / "data/made.csv").read_text() == "n\n7\n"
    assert [event["name"] for event in result.kind("artifact")] == ["n.csv"]


def test_a_require_is_a_comment_at_the_head(world):
    result = run(world, "-- require file.read(\"./data/more/*\")\nSELECT sum(net) FROM 'data/sales.csv'")
    assert result.status == 1
    assert [row["state"] for row in result.rows() if row["name"] == "file.read"][0] == "granted"


def test_an_endless_query_ends_at_the_limit(world):
    result = run(world, "SELECT count(*) FROM range(100000) a, range(100000) b, range(100000) c WHERE hash(a, b, c) = 7",
                 ceiling=CEILING + ",wall=1s")
    assert result.status == 124


# ---- the ten questions -------------------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_recorded_programs_are_right_on_the_data_of_any_seed(world, tmp_path, seed):
    case = ROOT / "cases/analytics"
    if seed != 1:
        case = tmp_path / "case"
        subprocess.run([ROOT / ".venv/bin/python", ROOT / "cases/analytics/generate", "--seed", str(seed), "--out", case],
                       check=True)
    result = world.techo("bench", case, "-x", "sql@sandbox", "--instant", "--json")
    assert result.end["right"] == result.end["total"] == 10, result.out


