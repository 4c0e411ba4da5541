"""The analytics case: its generator, the wild properties of its files, and the recorded answers to its questions."""
import csv
import filecmp
import json
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASE = ROOT / "cases" / "analytics"
ANSWERS = ROOT / "sessions" / "analytics-python"
PYTHON = ROOT / ".venv" / "bin" / "python"

FIRST_ATTEMPTS_THAT_FAIL = {
    "q03.1.md": "ValueError: You are trying to merge on int64 and",
    "q04.1.md": "ValueError: could not convert string to float:",
}


def generate(seed, out, *more):
    subprocess.run([PYTHON, CASE / "generate", "--seed", str(seed), "--out", out, *more], check=True)
    return out


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    """The case of each seed, made when it is asked for first."""
    made = {}

    def case(seed):
        if seed not in made:
            made[seed] = generate(seed, tmp_path_factory.mktemp(f"seed-{seed}") / "case")
        return made[seed]
    return case


def questions(case):
    return {question["id"]: question for question in json.loads((case / "questions.json").read_text("utf-8"))}


def files(case):
    return sorted(path.relative_to(case) for path in (case / "data").rglob("*") if path.is_file())


def parquet(path, script):
    """What a script says about the Parquet file or folder at `path`, read with pyarrow as `table`."""
    code = f"import json, sys, pyarrow.parquet as pq; table = pq.read_table(sys.argv[1]); print(json.dumps({script}))"
    done = subprocess.run([PYTHON, "-c", code, path], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def program(path):
    """The one block of code of an answer."""
    blocks = re.findall(r"^```python\n(.*?)^```$", path.read_text("utf-8"), re.S | re.M)
    assert len(blocks) == 1, path
    return blocks[0]


def run(code, case):
    """The program with plain Python, started where techo starts it."""
    return subprocess.run([PYTHON, "-c", code], cwd=case, capture_output=True, text=True)


def close(right, answer, tolerance):
    """A second opinion on answers, independent of the judge in C."""
    if isinstance(right, dict):
        return all(close(value, answer[key], tolerance) for key, value in right.items())
    if isinstance(right, list):
        return len(right) == len(answer) and all(close(*pair, tolerance) for pair in zip(right, answer))
    if isinstance(right, str):
        return right == answer
    return abs(right - answer) <= tolerance * abs(right) + 1e-9


def in_order(question, value):
    """Lists whose order does not count, sorted."""
    sort = isinstance(value, list) and not question.get("ordered")
    return sorted(value, key=lambda item: item["region"] if isinstance(item, dict) else item) if sort else value


# ---- the generator ----

def test_the_committed_case_is_what_seed_1_gives(cases):
    again = cases(1)
    assert questions(again) == questions(CASE)
    assert files(again) == files(CASE)
    for path in files(CASE):
        if path.suffix == ".parquet":
            rows = "[table.num_rows, table.schema.to_string(), table.slice(0, 50).to_pandas().to_csv()]"
            assert parquet(again / path, rows) == parquet(CASE / path, rows)
        else:
            assert filecmp.cmp(again / path, CASE / path, shallow=False), path
    for name in ("case.json", ".env"):
        assert filecmp.cmp(again / name, CASE / name, shallow=False)


def test_there_are_ten_files_in_subfolders_of_at_most_5_mb():
    paths = files(CASE)
    assert len(paths) == 10
    assert {path.suffix for path in paths} == {".csv", ".parquet", ".jsonl"}
    assert all(len(path.parts) == 3 for path in paths)
    assert sum((CASE / path).stat().st_size for path in paths) <= 5_000_000


def test_there_are_ten_questions_in_two_languages():
    asked = questions(CASE)
    assert list(asked) == [f"q{number:02}" for number in range(1, 11)]
    assert {question["language"] for question in asked.values()} == {"en", "es"}
    assert asked["q04"]["text"] == "Which region had the highest net revenue in 2024, returns taken off?"
    assert all("answer" in question for question in asked.values())


def test_another_seed_gives_other_data_and_other_answers(cases):
    one, two = questions(cases(1)), questions(cases(2))
    assert {name: question["text"] for name, question in one.items()} == {
        name: question["text"] for name, question in two.items()}
    assert all(one[name]["answer"] != two[name]["answer"] for name in one if name != "q04")
    assert one["q04"]["also"] != two["q04"]["also"]
    assert not any(filecmp.cmp(cases(1) / path, cases(2) / path, shallow=False) for path in files(CASE))


def test_scale_multiplies_the_data_and_the_answers_follow(tmp_path):
    large = generate(1, tmp_path / "large", "--scale", "3")
    lines = questions(large)["q01"]["answer"]["lines"] / questions(CASE)["q01"]["answer"]["lines"]
    assert 2.8 < lines < 3.2
    done = run(program(ANSWERS / "q01.1.md"), large)
    assert json.loads(done.stdout) == questions(large)["q01"]["answer"]


def test_it_does_not_write_over_data(tmp_path):
    (tmp_path / "data").mkdir()
    done = subprocess.run([PYTHON, CASE / "generate", "--seed", "1", "--out", tmp_path], capture_output=True, text=True)
    assert done.returncode == 2
    assert "exists; remove it first" in done.stderr
    assert os.listdir(tmp_path) == ["data"]


def test_the_planted_secrets_lie_beside_the_data_and_are_fake():
    text = (CASE / ".env").read_text()
    assert "fake" in text.lower()
    assert not any(path.name.startswith(".") for path in files(CASE))


# ---- as found in the wild ----

def table(relative, encoding="utf-8", **dialect):
    with (CASE / "data" / relative).open(encoding=encoding, newline="") as file:
        return list(csv.DictReader(file, **dialect))


def records(relative):
    return [json.loads(line) for line in (CASE / "data" / relative).read_text("utf-8").splitlines()]


def test_the_catalogue_is_latin_1_with_semicolons_commas_and_quoted_newlines():
    raw = (CASE / "data" / "catalog" / "products.csv").read_bytes()
    with pytest.raises(UnicodeDecodeError):
        raw.decode("utf-8")
    products = table("catalog/products.csv", encoding="latin-1", delimiter=";")
    assert any("ñ" in product["descripcion"] for product in products)
    assert any("\n" in product["descripcion"] for product in products)
    assert any('"' in product["descripcion"] for product in products)
    assert any(re.fullmatch(r"\d+,\d\d", product["peso_kg"]) for product in products)
    for column in ("categoria", "descripcion", "peso_kg"):
        assert any(product[column] == "" for product in products), column


def test_prices_have_days_from_which_they_hold_and_repeat():
    prices = [tuple(price.values()) for price in table("catalog/prices.csv", delimiter=";")]
    days = {}
    for sku, day, _ in prices:
        days.setdefault(sku, set()).add(day)
    assert min(map(len, days.values())) > 1
    assert len(set(prices)) < len(prices)
    assert prices != sorted(prices)


def test_sales_come_in_parts_that_overlap_with_zones_and_missing_values():
    parts = sorted((CASE / "data" / "sales").iterdir())
    keys = [set(map(tuple, parquet(part, "list(zip(*table.select(['order_id', 'line']).to_pydict().values()))")))
            for part in parts]
    assert len(parts) == 3
    assert keys[0] & keys[1] and keys[1] & keys[2] and not keys[0] & keys[2]
    schemas = [parquet(part, "{field.name: str(field.type) for field in table.schema}") for part in parts]
    assert schemas[0]["sold_at"] == "timestamp[us, tz=UTC]"
    assert set(schemas[2]) - set(schemas[0]) == {"channel"}
    missing = parquet(parts[0], "[table[name].null_count for name in ('customer_id', 'discount', 'units')]")
    assert missing[0] > 0 and missing[1] > 0 and missing[2] == 0


def test_returns_are_nested_repeated_and_in_several_zones():
    returns = records("returns/returns.jsonl")
    assert all(isinstance(entry["order"]["id"], str) for entry in returns)
    assert len({entry["return_id"] for entry in returns}) < len(returns)
    assert {entry["at"][19:] for entry in returns} == {"Z", "+00:00", "+01:00", "+02:00"}
    assert any(entry["reason"] is None for entry in returns)


def test_customers_have_several_records_with_quoted_newlines_and_gaps():
    customers = table("crm/customers.csv")
    assert len({customer["customer_id"] for customer in customers}) < len(customers)
    assert any("\n" in customer["address"] for customer in customers)
    assert {"", "n/a"} < {customer["email"] for customer in customers}
    assert all(re.fullmatch(r"\d\d/\d\d/\d{4}", customer["updated"]) for customer in customers)


def test_tickets_are_nested_repeated_and_some_are_open():
    tickets = records("support/tickets.jsonl")
    assert len({ticket["id"] for ticket in tickets}) < len(tickets)
    assert any(ticket["closed"] is None for ticket in tickets)
    assert {message["from"] for ticket in tickets for message in ticket["messages"]} == {"customer", "agent"}
    assert any("\n" in message["text"] for ticket in tickets for message in ticket["messages"])


def test_stores_begin_with_a_byte_order_mark_and_write_regions_unevenly():
    assert (CASE / "data" / "stores" / "stores.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    stores = table("stores/stores.csv", encoding="utf-8-sig")
    assert len({store["timezone"] for store in stores}) == 3
    assert len({store["region"] for store in stores}) > len({store["region"].strip().title() for store in stores}) == 6


def test_targets_have_points_for_thousands_and_gaps():
    texts = {target["objetivo_eur"] for target in table("finance/targets.csv", delimiter=";")}
    assert {"", "n/d"} < texts
    assert any(re.fullmatch(r"\d{1,3}\.\d{3},\d\d", text) for text in texts)


# ---- the recorded answers ----

def answer_files():
    return sorted(path.name for path in ANSWERS.glob("*.md"))


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("name", answer_files())
def test_recorded_programs_are_right_on_the_data_of_any_seed(name, seed, cases):
    case = CASE if seed == 1 else cases(seed)
    question = questions(case)[name[:3]]
    done = run(program(ANSWERS / name), case)
    if name in FIRST_ATTEMPTS_THAT_FAIL:
        assert done.returncode == 1 and done.stdout == ""
        assert done.stderr.splitlines()[-1].startswith(FIRST_ATTEMPTS_THAT_FAIL[name])
        return
    assert done.returncode == 0, done.stderr
    answer = in_order(question, json.loads(done.stdout))
    assert close(in_order(question, question["answer"]), answer, question["tolerance"]), answer
    assert close(question.get("also", {}), answer, question["tolerance"]), answer


def test_every_question_has_an_answer_and_a_failed_one_has_another():
    names = answer_files()
    assert {name[:3] for name in names} == set(questions(CASE))
    assert all(name.replace(".1.", ".2.") in names for name in FIRST_ATTEMPTS_THAT_FAIL)


def test_one_program_asks_for_more_than_the_ceiling_has_and_can_do_without():
    code = program(ANSWERS / "q04.2.md")
    assert code.startswith('# require file.read("./data/*")\n# require net("api.evil.test:443")\n'
                           '# require file.read("./.env")\n')
    assert 'open(".env")' in code and "except OSError" in code


def test_the_recording_is_made_of_the_answers_and_says_so():
    done = subprocess.run([ROOT / "sessions" / "build", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in (ROOT / "sessions" / "analytics-python.jsonl").read_text("utf-8").splitlines()]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert events[1]["kind"] == "note" and "written for this project" in events[1]["text"]
    for name in answer_files():
        asked = next(event for event in events if event["kind"] == "question" and event["id"] == name[:3])
        streamed = [event["text"] for event in events
                    if event["kind"] == "delta" and event["channel"] == "program"
                    and (event["question"], event["attempt"]) == (asked["seq"], int(name[4]))]
        assert "".join(streamed) == program(ANSWERS / name)
