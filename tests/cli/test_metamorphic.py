"""`aspectlab metamorphic generate` and `test` as a user meets them; expected numbers are counted by hand."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from aspectlab.errors import AspectlabError, ConfigError, DataError, TaskError
from aspectlab.language.wordnet import find_wordnet
from aspectlab.readers import read
from tests.support.follow_ups import FOLLOWUPS, SOURCE, SWAPPED, TEA, TEXT, answer, quad, run, write

POISON = "<script>alert(1)</script>"


@pytest.fixture
def made(tmp_path: Path) -> str:
    return write(tmp_path / "followups.jsonl", [SOURCE, *FOLLOWUPS])


STUBBORN = answer(
    {
        "1.MR1-2.1.0": [quad(SWAPPED, "cup", "dirty", "negative")],
        "1.MR2-4.0.0": [quad(SWAPPED, "tea", "bad", "positive")],
    }
)


def test_metamorphic_test_keeps_the_json_contract(tmp_path: Path, made: str) -> None:
    result = run("test", write(tmp_path / "run.jsonl", STUBBORN), made, "--json")
    report = json.loads(result.stdout)
    names = [f"MR{n}-{k}" for n in (1, 2) for k in (1, 2, 3, 4)]
    assert [
        name for name in names if not {"cases", "violations", "vr", "vr_conditional"} <= report[name].keys()
    ] == []
    assert [report[name]["cases"] for name in names] == [0, 1, 0, 0, 0, 0, 0, 1]
    assert [report[name]["vr"] for name in names] == [None, 0, None, None, None, None, None, 1]
    assert report["MR2-4"]["failures"] == {"wrong polarity": 1}
    # the antonym concerns opinion and sentiment; each has one kept and one violated relation
    assert [report[name] for name in ("aspect", "opinion", "sentiment", "average")] == [None, 0.5, 0.5, 0.5]
    assert report["conditional"]["average"] == 0.5
    assert (report["f1"], report["vr"]) == (1, 0.5)
    assert report["references"]["empty"]["conditional"]["average"] is None
    assert report["references"]["gold"]["average"] == 0
    assert report["signature"].startswith("aste-vr|corpus:")


@pytest.mark.parametrize("task", ["atsc", "e2e"])
def test_metamorphic_test_asks_labels_of_aspects_to_stay_or_flip(
    tmp_path: Path, made: str, task: str
) -> None:
    result = run("test", write(tmp_path / "run.jsonl", STUBBORN), made, "--task", task, "--json")
    report = json.loads(result.stdout)
    # the cup stays dirty; the tea has turned bad, and keeps its label
    assert [report[name]["vr"] for name in ("MR1-2", "MR2-4")] == [0, 1]
    assert report["MR2-4"]["failures"] == {"wrong polarity": 1}
    assert report["signature"].startswith(f"{task}-vr|")


def test_metamorphic_test_prints_references_and_signature(tmp_path: Path, made: str) -> None:
    result = run("test", write(tmp_path / "run.jsonl", STUBBORN), made)
    assert result.exit_code == 0
    assert "empty" in result.stdout
    assert "gold" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("aste-vr|")


def test_metamorphic_test_tables_stand_in_a_terminal(tmp_path: Path, made: str) -> None:
    # a table of twelve columns broke every number in two; what is wider than 80 may break between words
    lines = run("test", write(tmp_path / "run.jsonl", STUBBORN), made).stdout.splitlines()
    assert [line for line in lines if len(line) > 100] == []


def test_metamorphic_test_writes_a_page_of_violations(tmp_path: Path, made: str) -> None:
    page = tmp_path / "failures.html"
    result = run("test", write(tmp_path / "run.jsonl", STUBBORN), made, "--failures", page)
    assert result.exit_code == 0, result.output
    text = page.read_text(encoding="utf-8")
    assert "1 violation: followups" in text
    assert "<del>good</del>" in text
    assert "<dt>expected</dt><dd>tea / bad: negative</dd>" in text
    assert "<dt>predicted</dt><dd>tea / bad: positive</dd>" in text
    assert text.count("<section") == 1


def test_metamorphic_page_shows_hostile_words_as_words(tmp_path: Path, made: str) -> None:
    page = tmp_path / "failures.html"
    hostile = {"aspect": {"text": POISON}, "category": None, "opinion": None, "polarity": "negative"}
    predicted = write(tmp_path / "run.jsonl", answer({"1.MR2-4.0.0": [hostile]}))
    assert run("test", predicted, made, "--failures", page).exit_code == 0
    assert POISON not in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "error", "expected"),
    [
        ("missing", DataError, r"no predictions for 1 example\(s\) of 'followups' \('1\.MR2-4\.0\.0'\)"),
        ("unmade", ConfigError, "make it with `aspectlab metamorphic generate`"),
        ("task", ConfigError, "--task 'acd' cannot be tested"),
        ("double", DataError, r"line 4: found the id '1\.MR2-4\.0\.0' again: expected unique ids"),
        ("relation", DataError, "found a follow-up of 'MR9-4': expected one of MR1-1"),
        ("train", ConfigError, "--train: 'followups' has follow-ups already"),
        ("page", ConfigError, "choose another --failures"),
    ],
)
def test_metamorphic_test_refuses_what_cannot_be_tested(
    tmp_path: Path, made: str, change: str, error: type[AspectlabError], expected: str
) -> None:
    answers = {"missing": STUBBORN[:-1], "double": [*STUBBORN, STUBBORN[-1]]}.get(change, STUBBORN)
    strange = {**FOLLOWUPS[1], "variant": "MR9-4 of 0: 11:15 good > bad (antonym)"}
    records = {"unmade": [SOURCE], "relation": [SOURCE, FOLLOWUPS[0], strange]}
    corpus = write(tmp_path / "plain.jsonl", records[change]) if change in records else made
    options = {
        "task": ["--task", "acd"],
        "train": ["--train", made],
        "page": ["--failures", tmp_path / "none" / "page.html"],
    }
    result = run("test", write(tmp_path / "run.jsonl", answers), corpus, *options.get(change, []))
    with pytest.raises(error, match=expected):
        raise result.exception or AssertionError(result.output)


def needs_lexicon() -> None:
    pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")
    pytest.importorskip("spacy", reason="needs pip install 'aspectlab[parse]'")
    if find_wordnet() is None:
        pytest.skip("WordNet is not installed: apt install wordnet-base")


def test_metamorphic_test_says_that_a_model_is_not_there(tmp_path: Path) -> None:
    corpus = write(tmp_path / "plain.jsonl", [SOURCE])
    assert "found nothing there" in str(run("test", tmp_path / "absent", corpus).exception)


@pytest.mark.slow
def test_metamorphic_generate_is_the_same_whatever_the_hash_seed(tmp_path: Path) -> None:
    needs_lexicon()
    corpus, contents = write(tmp_path / "plain.jsonl", [SOURCE]), []
    for hash_seed in ("1", "2"):
        out = tmp_path / f"{hash_seed}.jsonl"
        program = [sys.executable, "-m", "aspectlab", "metamorphic", "generate", corpus, "--out", str(out)]
        subprocess.run(
            program, check=True, capture_output=True, env={**os.environ, "PYTHONHASHSEED": hash_seed}
        )
        contents.append(out.read_bytes())
    assert contents[0] == contents[1]


@pytest.mark.slow
def test_metamorphic_generate_writes_sources_and_followups(tmp_path: Path) -> None:
    needs_lexicon()
    out = tmp_path / "out.jsonl"
    result = run("generate", write(tmp_path / "plain.jsonl", [SOURCE]), "--out", out, "--json")
    counts = json.loads(result.stdout)["cases"]
    found = read(out)
    assert found.name == "plain-metamorphic"
    assert len(found) == 1 + sum(counts.values())
    # "bad" is an antonym of "good" in WordNet 3.0
    assert {e.text for e in found if (e.variant or "").startswith("MR2-4")} >= {SWAPPED}
    gold = run("test", out, out, "--json")
    assert json.loads(gold.stdout)["average"] == 0


def test_metamorphic_generate_refuses_a_corpus_without_opinions(tmp_path: Path) -> None:
    bare = {"id": "1", "text": TEXT, "quads": [TEA | {"opinion": None}]}
    result = run("generate", write(tmp_path / "bare.jsonl", [bare]), "--out", tmp_path / "out.jsonl")
    assert isinstance(result.exception, TaskError)


def test_metamorphic_generate_refuses_followups(made: str, tmp_path: Path) -> None:
    # their follow-ups would bear the ids of their brothers, and no reader takes an id twice
    result = run("generate", made, "--out", tmp_path / "out.jsonl")
    assert isinstance(result.exception, DataError)
    assert "example '1.MR1-2.1.0': found a follow-up" in str(result.exception)


def test_metamorphic_test_says_that_followups_are_not_made_anew(made: str) -> None:
    # with --limit 2 the numbers were those of all follow-ups in the file
    result = run("test", made, made, "--limit", 2)
    assert "--seed and --limit do nothing: 'followups' has follow-ups already" in result.stderr
