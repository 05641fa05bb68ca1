"""`aspectlab annotate` as a user meets it; expected numbers are counted by hand."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aspectlab.cli.main import app
from aspectlab.errors import ConfigError, DataError
from aspectlab.readers import read

TEXT = "The seat is soft and the engine is loud."


def quad(aspect: str, opinion: str, polarity: str) -> dict[str, object]:
    def place(term: str) -> dict[str, object]:
        return {"text": term, "start": TEXT.index(term), "end": TEXT.index(term) + len(term)}

    return {"aspect": place(aspect), "category": "comfort", "opinion": place(opinion), "polarity": polarity}


SEAT, ENGINE = quad("seat", "soft", "positive"), quad("engine", "loud", "negative")


def write(path: Path, segments: dict[str, list[dict[str, object]]]) -> Path:
    lines = [json.dumps({"id": id, "text": TEXT, "quads": quads}) for id, quads in segments.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two annotators who agree on three of four triples each; a third one has lost a segment."""
    write(tmp_path / "anna.jsonl", {"1": [SEAT, ENGINE], "2": [SEAT], "3": [SEAT]})
    write(tmp_path / "ben.jsonl", {"1": [SEAT, ENGINE], "2": [SEAT], "3": [ENGINE]})
    write(tmp_path / "carl.jsonl", {"1": [SEAT, ENGINE], "2": [SEAT]})
    return tmp_path


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["annotate", *map(str, words)])


def agree(folder: Path, *words: str) -> Result:
    files = [folder / f"{name}.jsonl" for name in words if not name.startswith("-")]
    options = [word for word in words if word.startswith("-")]
    return call("agreement", *files, "--similarity", "letters", "--resamples", "20", *options)


def test_agreement_json_is_the_contract(folder: Path) -> None:
    found = json.loads(agree(folder, "anna", "ben", "--json").stdout)
    level = found["thresholds"]["0.6"]
    # three of four triples on each side; segment 3 has nothing alike
    assert {key: level[key] for key in ("tpa", "pairs", "sga", "sentiment_agreement")} == pytest.approx(
        {"tpa": 3 / 4, "pairs": 3 / 4, "sga": 2 / 3, "sentiment_agreement": 1.0}
    )
    assert level["matched"] == 3
    assert list(found["thresholds"]) == ["0.6", "0.65", "0.7"]
    assert found["exact"]["aste"]["f1"] == pytest.approx(3 / 4)
    assert [segment["segment"] for segment in found["worst"]] == ["3"]
    assert found["excluded"] == {"counts": {}, "findings": []}
    assert found["signature"].startswith("agreement-tpa|corpus:anna+ben@")
    assert "dice-letters" in found["signature"]


def test_agreement_table_names_the_worst_segment(folder: Path) -> None:
    printed = agree(folder, "anna", "ben").stdout
    assert "seat | soft | positive" in printed
    assert "engine | loud | negative" in printed


@pytest.mark.parametrize(("accept", "code"), [("0.7", 0), ("0.75", 1)])
def test_agreement_is_accepted_above_the_threshold_only(folder: Path, accept: str, code: int) -> None:
    assert agree(folder, "anna", "ben", f"--accept={accept}").exit_code == code


def test_agreement_refuses_different_segments_and_leaves_them_out_on_request(folder: Path) -> None:
    refused = agree(folder, "anna", "carl")
    assert isinstance(refused.exception, DataError)
    found = json.loads(agree(folder, "anna", "carl", "--exclude", "--json").stdout)
    assert found["segments"] == 2
    assert found["excluded"]["counts"] == {"not annotated by all": 1}
    assert found["excluded"]["findings"][0]["segment"] == "3"


def test_agreement_of_three_lists_every_two(folder: Path) -> None:
    found = json.loads(agree(folder, "anna", "ben", "carl", "--exclude", "--json").stdout)
    assert list(found["between"]) == ["anna – ben", "anna – carl", "ben – carl"]


def test_agreement_gives_no_share_of_sentiments_where_no_pair_is_alike(folder: Path) -> None:
    write(folder / "dora.jsonl", {"1": [SEAT], "2": [SEAT]})
    write(folder / "emil.jsonl", {"1": [ENGINE], "2": [ENGINE]})
    level = json.loads(agree(folder, "dora", "emil", "--json").stdout)["thresholds"]["0.6"]
    assert (level["matched"], level["sentiment_agreement"]) == (0, None)
    assert level["chance"]["sentiment_agreement"] is None


def test_agreement_in_another_language_advises_no_english_package(folder: Path) -> None:
    described = {"name": "sedie", "language": "it", "annotates": ["aspect", "opinion", "polarity"]}
    line = json.dumps({"id": "1", "text": TEXT, "quads": [SEAT], "corpus": described})
    (folder / "dora.jsonl").write_text(line + "\n", encoding="utf-8")
    said = agree(folder, "dora", "dora").stderr
    assert "post-processing is lower: stop words and lemmas are English, not it" in said
    assert "pip install" not in said


def test_agreement_refuses_one_annotator(folder: Path) -> None:
    assert isinstance(agree(folder, "anna").exception, ConfigError)


def test_agreement_prints_no_escape_codes(tmp_path: Path) -> None:
    write(tmp_path / "anna.jsonl", {"\x1b[31m": [SEAT], "2": [SEAT]})
    write(tmp_path / "ben.jsonl", {"\x1b[31m": [ENGINE], "2": [SEAT]})
    assert "\x1b[31m" not in agree(tmp_path, "anna", "ben").stdout


def test_agreement_takes_the_vectors_of_the_shipped_model(folder: Path) -> None:
    pytest.importorskip("openvino", reason="the shipped model needs its engine")
    files = [folder / "anna.jsonl", folder / "ben.jsonl"]
    found = json.loads(call("agreement", *files, "--resamples", "0", "--json").stdout)
    assert found["thresholds"]["0.7"]["tpa"] == pytest.approx(3 / 4)
    assert "dice-embedded" in found["signature"]


def test_sample_writes_the_size_and_prints_the_balance(folder: Path) -> None:
    out = folder / "sample.jsonl"
    answer = call("sample", folder / "anna.jsonl", "--size", "2", "--pilot", "1", "--out", out, "--json")
    assert json.loads(answer.stdout)["topics"] == [
        {"topic": "comfort", "examples": 3, "sampled": 2, "pilot": 1}
    ]
    assert len(read(out)) == 2


def test_sample_without_labels_keeps_the_topic(folder: Path) -> None:
    out = folder / "sample.jsonl"
    answer = call("sample", folder / "anna.jsonl", "--size", "2", "--blank", "--out", out)
    assert "comfort" in answer.stdout
    assert [[(q.aspect, q.category) for q in example.quads] for example in read(out)] == [
        [(None, "comfort")]
    ] * 2


def test_sample_of_reviews_takes_a_column_as_topic(tmp_path: Path) -> None:
    rows = [
        f'r{n},{"inn" if n % 3 else "bar"},"The room was fine and the staff kind, number {n}."'
        for n in range(9)
    ]
    (tmp_path / "reviews.csv").write_text("id,place,text\n" + "\n".join(rows) + "\n", encoding="utf-8")
    out = tmp_path / "sample.jsonl"
    answer = call(
        "sample", tmp_path / "reviews.csv", "--group-by", "place", "--size", "3", "--out", out, "--json"
    )
    # three bars and six inns: one and two of three
    assert [
        (row["topic"], row["examples"], row["sampled"]) for row in json.loads(answer.stdout)["topics"]
    ] == [
        ("bar", 3, 1),
        ("inn", 6, 2),
    ]
    assert all(example.id.startswith("r") for example in read(out))


def test_sample_refuses_more_than_there_is(folder: Path) -> None:
    answer = call("sample", folder / "anna.jsonl", "--size", "4", "--out", folder / "sample.jsonl")
    assert isinstance(answer.exception, ConfigError)
    assert not (folder / "sample.jsonl").exists()


def test_sample_says_which_reviews_it_left_out(tmp_path: Path) -> None:
    (tmp_path / "reviews.csv").write_text("id,text,place\n1,Good.,a\n2,,a\n3,Bad.,b\n", encoding="utf-8")
    out = tmp_path / "out.jsonl"
    answer = call("sample", tmp_path / "reviews.csv", "--group-by", "place", "--size", "2", "--out", out)
    assert "1 review without text skipped" in answer.stderr


@pytest.mark.parametrize("words", [["sample", "--size=2"], ["prelabel"], ["export", "--format=doccano"]])
def test_annotating_does_not_write_over_what_it_reads(folder: Path, words: list[str]) -> None:
    file = folder / "anna.jsonl"
    before = file.read_bytes()
    answer = call(*words, file, "--out", file)
    assert "is an input and would be overwritten" in str(answer.exception)
    assert file.read_bytes() == before


def test_sample_refuses_a_text_column_that_it_would_not_look_at(folder: Path) -> None:
    words: list[str | Path] = [
        "sample",
        folder / "anna.jsonl",
        "--text-column",
        "text",
        "--size",
        "2",
        "--out",
        folder / "out",
    ]
    answer = call(*words)
    assert isinstance(answer.exception, ConfigError)
    assert "--group-by" in str(answer.exception)
