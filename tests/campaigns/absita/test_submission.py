"""The validator: every violation at once, with its line; and the files that a submission consists of."""

from pathlib import Path

import pytest

from aspectlab.campaigns import RunFinding, Severity
from aspectlab.campaigns.absita import (
    fix_run,
    most_frequent,
    name_submission,
    parse_filename,
    read_sheet,
    validate,
    write_submission,
)
from aspectlab.data import Corpus, Example, Polarity, Quad
from aspectlab.errors import ConfigError, DataError
from tests.support.absita_runs import GOLD, HEADER, NEUTRAL, content, make, row

RIGHT = content(GOLD)


def check(
    folder: Path, text: str | bytes, name: str = "absita_acp_team_1.csv", gold: bool = False
) -> list[RunFinding]:
    test = read_sheet(make(folder / "gold.csv", RIGHT)) if gold else None
    return list(validate(read_sheet(make(folder / name, text)), test))


def test_right_run_has_no_findings(tmp_path: Path) -> None:
    assert check(tmp_path, RIGHT, gold=True) == []


@pytest.mark.parametrize(
    ("text", "severity", "line", "said"),
    [
        ("\ufeff" + RIGHT, Severity.WARNING, 1, "byte-order mark"),
        (RIGHT.replace("\n12;", "\n012;"), Severity.ERROR, 3, "leading zeros"),
        (RIGHT.replace("\n12;", "\n 12;"), Severity.ERROR, 3, "blanks around"),
        (content({**GOLD, "12": {"comfort": "001"}}), Severity.ERROR, 3, "comfort without its presence"),
        (content({**GOLD, "12": {"comfort": NEUTRAL}}), Severity.WARNING, 3, "comfort without a polarity"),
        (
            RIGHT.replace("\n12;0;0;0;1;0;1", "\n12;0;0;0;1;;1"),
            Severity.ERROR,
            3,
            "blank polarity of comfort",
        ),
        (RIGHT.replace("staff_positive", "staff_pos"), Severity.WARNING, 1, "staff_pos"),
        (RIGHT.replace("sentence\n", "note\n"), Severity.WARNING, 1, "'note'"),
        (RIGHT.replace("\n12;0;", "\n12;x;"), Severity.BLOCKER, 3, "'x' in cleanliness_presence"),
    ],
    ids=["bom", "zeros", "blanks", "no-presence", "neutral", "blank", "alias", "extra-column", "value"],
)
def test_violation_is_found(tmp_path: Path, text: str, severity: Severity, line: int, said: str) -> None:
    (finding,) = check(tmp_path, text)
    assert (finding.severity, finding.line) == (severity, line)
    assert said in str(finding)


def test_every_violation_is_listed_at_once(tmp_path: Path) -> None:
    text = (
        RIGHT.replace("\n11;1", "\n11;yes").replace("\n12;", "\n12 ;") + row("13", {}) + "\n" + row("77", {})
    )
    found = check(tmp_path, text, "run.csv", gold=True)
    assert [finding.line for finding in found] == [None, 2, 3, 6, 7]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_run_without_rows_is_wrong(tmp_path: Path, mark: str) -> None:
    assert [found.found for found in check(tmp_path, f"{mark}{HEADER}\n") if found.severity] == [
        "no rows below the header"
    ]


def test_test_file_that_cannot_be_read_is_not_held_against_the_run(tmp_path: Path) -> None:
    run, gold = (make(tmp_path / name, RIGHT) for name in ("absita_acp_team_1.csv", "gold.csv"))
    make(gold, RIGHT.replace(";", ","))
    with pytest.raises(DataError, match=r"gold.csv: cannot be compared with:\n.*separated by commas"):
        validate(read_sheet(run), read_sheet(gold))


def test_missing_ids_are_counted(tmp_path: Path) -> None:
    (finding,) = check(tmp_path, "\n".join(RIGHT.splitlines()[:3]), gold=True)
    assert "2 sentence_id(s) missing ('13', '14')" in str(finding)


def test_other_text_for_an_id_is_a_warning(tmp_path: Path) -> None:
    (finding,) = check(tmp_path, RIGHT.replace('"Bello."\n13', '"Brutto."\n13'), gold=True)
    assert (finding.severity, finding.line) == (Severity.WARNING, 3)


def test_acd_run_may_leave_polarity_blank(tmp_path: Path) -> None:
    text = "\n".join([HEADER, "11;" + "1;;;" + "0;;;" * 7 + '""', "12;" + "0;;;" * 7 + ";;;" + '""'])
    assert check(tmp_path, text, "absita_acd_team_1.csv") == []
    assert {finding.line for finding in check(tmp_path, text)} == {2}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("run.csv", "absita_<acd or acp>"),
        ("ABSITA_ACP_t_1.csv", "lower case"),
        ("absita_acp_t_3.csv", "1 to 2"),
    ],
)
def test_file_name_is_checked(tmp_path: Path, name: str, said: str) -> None:
    (finding,) = check(tmp_path, RIGHT, name)
    assert finding.severity is Severity.WARNING
    assert said in str(finding)


def test_unreadable_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read_sheet(tmp_path / "absent.csv")


def test_fixed_run_is_right(tmp_path: Path) -> None:
    text = "\ufeff" + RIGHT.replace(";1", "; 1.0").replace("_positive", "_pos").replace("\n12;", "\n 12 ;")
    fix_run(read_sheet(make(tmp_path / "broken.csv", text)), tmp_path / "absita_acp_team_1.csv")
    fixed = read_sheet(tmp_path / "absita_acp_team_1.csv")
    assert validate(fixed) == ()
    assert [line.flags for line in fixed.lines] == [
        line.flags for line in read_sheet(make(tmp_path / "r.csv", RIGHT)).lines
    ]


def test_file_without_rows_cannot_be_fixed(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no rows that can be read"):
        fix_run(read_sheet(make(tmp_path / "broken.csv", "a,b\n1,2\n")), tmp_path / "fixed.csv")


@pytest.mark.parametrize("loss", [b"12;1;0;0\n", b"12;\xe8;0;0\n"], ids=["short row", "not UTF-8"])
def test_run_is_not_fixed_at_the_cost_of_rows(loss: bytes, tmp_path: Path) -> None:
    header, first, _ = RIGHT.encode().split(b"\n", 2)
    run = read_sheet(make(tmp_path / "broken.csv", b"\n".join([header, first, loss])))
    with pytest.raises(DataError, match=r"found rows that cannot be read at line 3: .*correct these first"):
        fix_run(run, tmp_path / "fixed.csv")
    assert not (tmp_path / "fixed.csv").exists()


EXAMPLE = Example("7", "Bello.", (Quad(category="wifi", polarity=Polarity.POSITIVE),))


@pytest.mark.parametrize(("task", "flags"), [("acp", ("1", "1", "0")), ("acd", ("1", "", ""))])
def test_submission_is_named_and_holds_no_text(tmp_path: Path, task: str, flags: tuple[str, ...]) -> None:
    corpus = Corpus("mine", "it", frozenset(), (EXAMPLE,))
    path = write_submission(corpus, tmp_path / "runs", name_submission(task, "two_words", 2))
    (line,) = read_sheet(path).lines
    assert path.name == f"absita_{task}_two_words_2.csv"
    assert (line.id, line.flags[15:18], line.text) == ("7", flags, "")
    assert validate(read_sheet(path)) == ()


def test_mail_subject_is_that_of_the_guidelines() -> None:
    assert name_submission("acd", "UNITO", 1).subject == "[ABSITA] Submission: ACD UNITO"


def test_file_name_is_read_from_both_ends() -> None:
    found = parse_filename("absita_acd_a_b_c_1.csv")
    assert found is not None
    assert (found.team, found.run) == ("a_b_c", "1")


@pytest.mark.parametrize(
    ("task", "team", "run"),
    [("aste", "a", 1), ("acd", "../a", 1), ("acd", "", 1), ("acd", "a", 3), ("acd", "a", 0)],
)
def test_submission_with_a_wrong_name_is_refused(task: str, team: str, run: int) -> None:
    with pytest.raises(ConfigError):
        name_submission(task, team, run)


def corpus_of(*labels: tuple[str, Polarity]) -> Corpus:
    quads = [Quad(category=category, polarity=polarity) for category, polarity in labels]
    return Corpus("mine", "it", frozenset(), tuple(Example(str(n), "", (q,)) for n, q in enumerate(quads)))


def test_tie_goes_to_the_first_column_and_to_positive() -> None:
    corpus = corpus_of(
        ("wifi", Polarity.NEGATIVE), ("wifi", Polarity.POSITIVE), ("location", Polarity.POSITIVE)
    )
    assert most_frequent(corpus, "acp") == Quad(category="wifi", polarity=Polarity.POSITIVE)


def test_mixed_aspect_counts_once_for_acd() -> None:
    mixed = tuple(Quad(category="staff", polarity=p) for p in (Polarity.POSITIVE, Polarity.NEGATIVE))
    corpus = corpus_of(("value", Polarity.POSITIVE), ("value", Polarity.POSITIVE))
    both = corpus.with_examples([*corpus, Example("9", "", mixed)])
    assert most_frequent(both, "acd").category == "value"


def test_other_is_left_out_if_asked() -> None:
    corpus = corpus_of(
        ("other", Polarity.POSITIVE), ("other", Polarity.POSITIVE), ("staff", Polarity.NEGATIVE)
    )
    found = [most_frequent(corpus, "acd", with_other=choice).category for choice in (True, False)]
    assert found == ["other", "staff"]


def test_corpus_without_labels_has_no_baseline() -> None:
    with pytest.raises(DataError, match="no label for acp"):
        most_frequent(Corpus("mine", "it", frozenset(), (Example("1", "Bello."),)), "acp")
