"""The validator of DimABSA: every violation at once, with its line; and the copy that is fixed."""

import json
from pathlib import Path

import pytest

from aspectlab.campaigns import RunFinding, Severity
from aspectlab.campaigns.dimabsa import fix_run, read_run, validate
from aspectlab.errors import ConfigError, DataError
from tests.support.dimabsa_runs import line, make

TEA = ("tea", "DRINKS#QUALITY", "good", "7.00#5.00")
CUP = ("cup", "CUPS#PRICES", "NULL", "3.00#6.50")
GOLD = [line("1", [TEA, CUP]), line("2", [])]


def check(folder: Path, lines: list[str], *, gold: bool = False) -> list[RunFinding]:
    test = read_run(make(folder / "gold.jsonl", GOLD)) if gold else None
    return list(validate(read_run(make(folder / "run.jsonl", lines)), test))


def with_item(**values: object) -> list[str]:
    record = json.loads(GOLD[0])
    item = record["Quadruplet"][0] | values
    record["Quadruplet"][0] = {key: value for key, value in item.items() if value is not ...}
    return [json.dumps(record), GOLD[1]]


@pytest.mark.parametrize(
    ("lines", "severity", "number", "said"),
    [
        (with_item(Aspect=...), Severity.BLOCKER, 1, "an opinion without Aspect"),
        (with_item(Opinion=...), Severity.BLOCKER, 1, "an opinion without Opinion"),
        (with_item(Category=...), Severity.BLOCKER, 1, "an opinion without Category"),
        (with_item(VA=...), Severity.BLOCKER, 1, "the VA None"),
        (with_item(Aspect=None), Severity.BLOCKER, 1, "the Aspect None"),
        (with_item(VA="nan#5.00"), Severity.BLOCKER, 1, "expected valence#arousal, as in 6.75#5.50"),
        (with_item(VA="7.00"), Severity.BLOCKER, 1, "the VA '7.00'"),
        (with_item(VA="9.01#5.00"), Severity.ERROR, 1, "expected both from 1 to 9; clip them"),
        (with_item(VA="7.0#5.00"), Severity.WARNING, 1, "expected two decimals each"),
        ([*GOLD, "{"], Severity.ERROR, 3, "the organisers' script skips it"),
        ([*GOLD, "", "[]"], Severity.BLOCKER, 4, "found []: expected a JSON object"),
        ([GOLD[0].replace(" ", "\r", 1), GOLD[1]], Severity.BLOCKER, 1, "a carriage return"),
        (["\ufeff" + GOLD[0], GOLD[1]], Severity.BLOCKER, 1, "a byte-order mark"),
        ([*GOLD, GOLD[1]], Severity.BLOCKER, 3, "the ID '2' again"),
        ([*GOLD, line("", [])], Severity.BLOCKER, 3, "the ID ''"),
        ([*GOLD, '{"ID": "3"}'], Severity.BLOCKER, 3, "no Quadruplet: expected a list of opinions"),
        ([*GOLD, '{"ID": "3", "Quadruplet": [7]}'], Severity.BLOCKER, 3, "found 7: expected an object"),
        (
            [line("1", [TEA, CUP, TEA]), GOLD[1]],
            Severity.ERROR,
            1,
            "2 predictions of 'tea', 'good', 'drinks#quality'",
        ),
    ],
)
def test_violation_is_found(
    tmp_path: Path, lines: list[str], severity: Severity, number: int, said: str
) -> None:
    (finding,) = check(tmp_path, lines)
    assert (finding.severity, finding.line) == (severity, number)
    assert said in str(finding)


def test_right_run_has_no_findings(tmp_path: Path) -> None:
    assert check(tmp_path, GOLD, gold=True) == []


@pytest.mark.parametrize(
    ("lines", "severity", "number", "said"),
    [
        (GOLD[:1], Severity.ERROR, None, "1 ID(s) missing ('2')"),
        ([*GOLD, line("3", [TEA])], Severity.ERROR, 3, "what it predicts is counted as wrong"),
        ([GOLD[0], GOLD[1][:-1] + ', "Text": "Hm."}'], Severity.WARNING, 2, "another text for '2'"),
    ],
)
def test_run_is_compared_with_gold(
    tmp_path: Path, lines: list[str], severity: Severity, number: int | None, said: str
) -> None:
    gold = [GOLD[0], GOLD[1][:-1] + ', "Text": "Well."}']
    test = read_run(make(tmp_path / "gold.jsonl", gold))
    (finding,) = validate(read_run(make(tmp_path / "run.jsonl", lines)), test)
    assert (finding.severity, finding.line) == (severity, number)
    assert said in str(finding)


def test_subtask_is_that_of_the_keys_unless_it_is_named(tmp_path: Path) -> None:
    run = make(tmp_path / "run.jsonl", [line("1", [("tea", "7.00#5.00")], 1)])
    assert read_run(run).subtask == 1
    (finding,) = read_run(run, 2).findings
    assert "no Triplet" in str(finding)
    with pytest.raises(ConfigError, match="subtask 4: expected 1, 2 or 3"):
        read_run(run, 4)


def test_file_without_opinions_has_no_subtask(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match="expected a line with one of the keys Quadruplet, Triplet, Aspect_VA"
    ):
        read_run(make(tmp_path / "run.jsonl", ['{"ID": "1", "Text": "Tea."}']))


def test_fixed_copy_is_valid(tmp_path: Path) -> None:
    broken = [
        "\ufeff" + line("1", [(*TEA[:3], "9.75#0.5"), CUP, ("Tea", *TEA[1:])]),
        GOLD[1][:-1] + ', "Text": "Hm."}',
    ]
    fix_run(read_run(make(tmp_path / "run.jsonl", broken)), tmp_path / "fixed.jsonl")
    fixed = read_run(tmp_path / "fixed.jsonl")
    assert validate(fixed) == ()
    records = [json.loads(each) for each in fixed.path.read_text("utf-8").splitlines()]
    # the first of two equal opinions stays, clipped
    assert [item["VA"] for item in records[0]["Quadruplet"]] == ["9.00#1.00", "3.00#6.50"]
    assert records[1] == {"ID": "2", "Text": "Hm.", "Quadruplet": []}


@pytest.mark.parametrize("lines", [[*GOLD, "{"], with_item(VA="7")])
def test_copy_does_not_lose_lines_that_cannot_be_read(tmp_path: Path, lines: list[str]) -> None:
    run = read_run(make(tmp_path / "run.jsonl", lines))
    with pytest.raises(DataError, match=r"found rows that cannot be read at line [13]: expected all of them"):
        fix_run(run, tmp_path / "fixed.jsonl")
    assert not (tmp_path / "fixed.jsonl").exists()


def test_fix_rounds_values_that_subtask_1_refuses_for_their_decimals(tmp_path: Path) -> None:
    run = read_run(make(tmp_path / "run.jsonl", [line("1", [("tea", "7.123456#5.00")], 1)]))
    assert [finding.severity for finding in run.findings] == [Severity.BLOCKER]
    fix_run(run, tmp_path / "fixed.jsonl")
    assert '"VA": "7.12#5.00"' in (tmp_path / "fixed.jsonl").read_text("utf-8")


def test_fix_keeps_aspects_of_subtask_1_that_recur(tmp_path: Path) -> None:
    twice = [("tea", "7.00#5.00"), ("tea", "3.00#5.00")]
    run = read_run(make(tmp_path / "run.jsonl", [line("1", twice, 1)]))
    fix_run(run, tmp_path / "fixed.jsonl")
    assert read_run(tmp_path / "fixed.jsonl").lines[0].tuples == run.lines[0].tuples
