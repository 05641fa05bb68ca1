"""The scorer: worked examples of the guidelines, edge files, published baselines, random corruptions."""

from pathlib import Path
from random import Random

import numpy as np
import pytest

from aspectlab.campaigns.absita import (
    RunCounts,
    apply_baseline,
    most_frequent,
    name_submission,
    rank_runs,
    read_sheet,
    score_run,
    write_submission,
)
from aspectlab.data import Corpus
from aspectlab.errors import DataError
from aspectlab.metrics import evaluate
from aspectlab.readers import read
from tests.support.absita_runs import (
    COLUMNS,
    GOLD,
    HEADER,
    MIXED,
    NEG,
    NEUTRAL,
    POS,
    content,
    make,
    official,
    row,
    score,
    twelve,
)

RIGHT = content(GOLD)
NO_TEXT = "\n".join(line.rpartition(";")[0] for line in RIGHT.splitlines())
NO_OTHER = "\n".join(
    ";".join(cell for place, cell in enumerate(line.split(";")) if place not in {22, 23, 24})
    for line in RIGHT.splitlines()
)
BACKWARDS = "\n".join(";".join(reversed(line.split(";"))) for line in RIGHT.splitlines())


def changed(**labels: dict[str, str]) -> str:
    return content({**GOLD, **{name.removeprefix("_"): said for name, said in labels.items()}})


def test_acd_example_of_the_guidelines(tmp_path: Path) -> None:
    # section 3: G = {cleanliness, staff}, S = {cleanliness, comfort}: 1/2, 1/2, 1/2
    gold = content({"1": {"cleanliness": POS, "staff": POS}})
    found = score(tmp_path, content({"1": {"cleanliness": POS, "comfort": POS}}), gold)
    assert list(found.acd.micro.values()) == [0.5, 0.5, 0.5]


def test_acp_example_of_the_guidelines_is_0_40_where_they_print_0_28(tmp_path: Path) -> None:
    # section 3: one hit of 3 predicted and 2 gold; F1 = 2 * (1/3) * (1/2) / (5/6) = 0.4. The printed 0.28 is
    # what |G| = 4 would give (2/7), a slip of the document
    gold = content({"1": {"cleanliness": POS, "staff": POS}})
    found = score(tmp_path, content({"1": {"cleanliness": MIXED, "comfort": POS}}), gold)
    assert found.acp is not None
    assert list(found.acp.micro.values()) == pytest.approx([1 / 3, 1 / 2, 0.4])


@pytest.mark.parametrize(
    ("hits", "predicted", "gold", "published"),
    [
        # the best rows of the campaign, then its baselines with other and without it
        (3055, 3638, 3898, [0.8397, 0.7837, 0.8108]),
        (2837, 3433, 3962, [0.8264, 0.7161, 0.7673]),
        (1117, 2717, 3898, [0.4111, 0.2866, 0.3377]),
        (1117, 2717, 3740, [0.4111, 0.2987, 0.3460]),
        (666, 2717, 3962, [0.2451, 0.1681, 0.1994]),
        (666, 2717, 3804, [0.2451, 0.1751, 0.2043]),
    ],
    ids=["best-acd", "best-acp", "acd-other", "acd", "acp-other", "acp"],
)
def test_counts_give_the_published_rows(hits: int, predicted: int, gold: int, published: list[float]) -> None:
    tally = RunCounts(np.array([[[hits, predicted - hits, gold - hits]]]), ("any",))
    assert [round(value, 4) for value in tally.micro.values()] == published


@pytest.mark.parametrize(
    ("flags", "pairs"), [("000", 0), (POS, 1), (NEG, 1), (MIXED, 2)], ids=["none", "pos", "neg", "mixed"]
)
def test_polarity_of_table_2_gives_so_many_pairs(tmp_path: Path, flags: str, pairs: int) -> None:
    gold = content({"1": {"cleanliness": flags}, "2": {"staff": POS}})
    found = score(tmp_path, content({"1": {}, "2": {"staff": POS}}), gold)
    assert found.acp is not None
    assert found.acp.counts.sum(axis=(0, 1)).tolist() == [1, 0, pairs]


EDGES = {
    "perfect": RIGHT,
    "crlf": RIGHT.replace("\n", "\r\n"),
    "no-final-newline": RIGHT.rstrip("\n"),
    "bom": "\ufeff" + RIGHT,
    "blank-lines": RIGHT.replace("\n", "\n\n"),
    "quoted-flags": RIGHT.replace(";1", ';"1"'),
    "quoted-header": RIGHT.replace(HEADER, ";".join(f'"{name}"' for name in HEADER.split(";"))),
    "text-absent": NO_TEXT,
    "text-blank": RIGHT.replace('"Bello."', '""'),
    "text-with-semicolon": RIGHT.replace("Bello.", "Bello; ma caro."),
    "text-with-quotes": RIGHT.replace("Bello.", 'Il ""bello""; qui.'),
    "text-with-line-end": RIGHT.replace("Bello.", "Bello\nma caro."),
    "other-absent": NO_OTHER,
    "other-blank": RIGHT.replace("\n14;" + "0;" * 24, "\n14;" + "0;" * 21 + ";;;"),
    "rows-in-another-order": content(dict(reversed(GOLD.items()))),
    "columns-in-another-order": BACKWARDS,
    "extra-column": RIGHT.replace("\n", ";7\n").replace("sentence;7", "sentence;note"),
    "extra-id": changed(_99={"wifi": POS}),
    "blanks-around-id": RIGHT.replace("\n12;", "\n 12 ;"),
    "nothing-predicted": content({name: {} for name in GOLD}),
    "everything-predicted": content(
        {name: {column.split("_")[0]: MIXED for column in COLUMNS} for name in GOLD}
    ),
    "all-wrong": content({name: {"wifi": POS} for name in GOLD}),
    "half-of-mixed": changed(_13={"location": POS, "other": NEG}),
    "mixed-for-positive": changed(_11={"cleanliness": MIXED, "staff": POS}),
    "neutral": changed(_12={"comfort": NEUTRAL}),
    "polarity-without-presence": changed(_12={"comfort": "001"}),
    "wrong-polarity": changed(_12={"comfort": POS}),
    "other-too-much": changed(_14={"other": POS}),
    "other-missed": changed(_13={"location": MIXED}),
    "aspect-too-much": changed(_14={"wifi": NEG}),
    "aspect-missed": changed(_11={"staff": POS}),
    "polarity-blank": "\n".join([HEADER, *(row(name, {}).replace("0;0;0", "0;;") for name in GOLD)]),
    "one-polarity-blank": RIGHT.replace("\n12;0;0;0;1;0;1", "\n12;0;0;0;1;;1"),
}


@pytest.mark.parametrize("with_other", [True, False], ids=["with-other", "without-other"])
@pytest.mark.parametrize("text", EDGES.values(), ids=EDGES)
def test_edge_file_is_scored_as_the_organisers_do(tmp_path: Path, text: str, with_other: bool) -> None:
    found = score(tmp_path, text, with_other=with_other)
    expected = official(tmp_path / "gold.csv", tmp_path / "absita_acp_t_1.csv", with_other)
    assert twelve(found) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "with_other", "acd", "acp"),
    [
        # by hand: hits, predicted, gold
        ("other-too-much", True, (5, 6, 5), (6, 7, 6)),
        ("other-too-much", False, (4, 4, 4), (5, 5, 5)),
        ("half-of-mixed", True, (5, 5, 5), (5, 5, 6)),
        ("neutral", True, (5, 5, 5), (5, 5, 6)),
        ("polarity-without-presence", True, (4, 4, 5), (6, 6, 6)),
    ],
)
def test_edge_file_has_the_counts_made_by_hand(
    tmp_path: Path, name: str, with_other: bool, acd: tuple[int, ...], acp: tuple[int, ...]
) -> None:
    found = score(tmp_path, EDGES[name], with_other=with_other)
    assert found.acp is not None
    for tally, expected in ((found.acd, acd), (found.acp, acp)):
        hit, extra, missed = tally.counts.sum(axis=(0, 1)).tolist()
        assert (hit, hit + extra, hit + missed) == expected


def test_run_without_polarity_is_not_scored_for_acp(tmp_path: Path) -> None:
    assert score(tmp_path, EDGES["polarity-blank"]).acp is None


REFUSED = {
    "one-point-zero": (RIGHT.replace("\n12;0;0;0;1;", "\n12;0;0;0;1.0;"), "line 3"),
    "blank-around-flag": (RIGHT.replace("\n12;0;0;0;1;", "\n12;0;0;0; 1;"), "line 3"),
    "true": (RIGHT.replace("\n12;0;0;0;1;", "\n12;0;0;0;true;"), "line 3"),
    "two": (RIGHT.replace("\n12;0;", "\n12;2;"), "line 3"),
    "repeated-id": (RIGHT + row("12", {}) + "\n", "line 6"),
    "missing-id": (RIGHT.replace("\n12;", "\n15;"), "'12'"),
    "scientific-id": (RIGHT.replace("\n12;", "\n1.24E+09;"), "line 3"),
    "no-id": (RIGHT.replace("\n12;", "\n;"), "line 3"),
    "blank-presence": (RIGHT.replace("\n12;0;", "\n12;;"), "line 3"),
    "short-row": (RIGHT.replace("\n12;0;", "\n12;"), "line 3"),
    "long-row": (RIGHT.replace("\n12;0;", "\n12;0;0;"), "line 3"),
    "commas": (RIGHT.replace(";", ","), "commas"),
    "tabs": (RIGHT.replace(";", "\t"), "tabs"),
    "no-header": (RIGHT.partition("\n")[2], "line 1"),
    "italian-name": (RIGHT.replace("cleanliness_", "pulizia_"), "cleanliness_presence"),
    "column-missing": (RIGHT.replace("staff_negative", "note"), "staff_negative"),
    "other-half-missing": (RIGHT.replace("other_presence", "note"), "other_presence"),
    "column-twice": (RIGHT.replace("wifi_presence", "staff_presence"), "twice"),
    "open-quote": (RIGHT.replace('"Bello."\n13', '"Bello.\n13'), "line 3"),
    "latin-1": (RIGHT.replace("Bello", "Però").encode("latin-1"), "line 2"),
    "utf-16": (RIGHT.encode("utf-16"), "line 1"),
    "empty": ("", "no rows"),
    "header-alone": (HEADER + "\n", "4 sentence_id(s) missing"),
}


@pytest.mark.parametrize(("text", "said"), REFUSED.values(), ids=REFUSED)
def test_doubtful_file_is_refused_with_its_place(tmp_path: Path, text: str | bytes, said: str) -> None:
    with pytest.raises(DataError, match="cannot be scored") as caught:
        score(tmp_path, text)
    assert said in str(caught.value)


def test_official_mode_takes_the_last_row_of_an_id(tmp_path: Path) -> None:
    found = score(tmp_path, RIGHT + row("12", {}) + "\n", official=True)
    assert found.acd.counts.sum(axis=(0, 1)).tolist() == [4, 0, 1]


def test_missing_row_counts_as_no_prediction_if_allowed(tmp_path: Path) -> None:
    text = content({name: said for name, said in GOLD.items() if name != "12"})
    found = score(tmp_path, text, allow_missing=True)
    assert found.acd.counts.sum(axis=(0, 1)).tolist() == [4, 0, 1]


@pytest.mark.parametrize(
    "gold",
    [HEADER + "\n", changed(_12={"comfort": "001"}), RIGHT.replace("\n12;0;", "\n12;;"), ""],
    ids=["empty", "polarity-without-presence", "blank", "no-header"],
)
def test_unsound_gold_is_refused(tmp_path: Path, gold: str) -> None:
    with pytest.raises(DataError, match=r"gold\.csv: cannot be scored"):
        score(tmp_path, RIGHT, gold)


@pytest.mark.parametrize("task", ["acd", "acp"])
def test_score_equals_the_metric_of_the_library(tmp_path: Path, task: str) -> None:
    rng = Random(1)
    names = [column.split("_")[0] for column in COLUMNS[::3]]
    sides = [
        content(
            {str(n): {name: rng.choice([POS, NEG, MIXED, "000", "000"]) for name in names} for n in range(30)}
        )
        for _ in range(2)
    ]
    found = score(tmp_path, sides[1], sides[0])
    gold, run = (read(tmp_path / name, format="absita") for name in ("gold.csv", "absita_acp_t_1.csv"))
    expected = evaluate(gold, run, task).scores
    micro = found.tallies[task].micro
    assert micro == pytest.approx({name: expected[name] for name in micro})


def test_interval_holds_the_score(tmp_path: Path) -> None:
    tally = score(tmp_path, EDGES["wrong-polarity"]).tallies["acp"]
    low, high = tally.interval(rng=np.random.default_rng(0), resamples=500)["f1"]
    assert low <= tally.micro["f1"] <= high


def test_ranking_orders_runs_and_shares_places(tmp_path: Path) -> None:
    make(tmp_path / "gold.csv", RIGHT)
    texts = {"worse": EDGES["all-wrong"], "best": RIGHT, "same": RIGHT}
    gold = read_sheet(tmp_path / "gold.csv")
    scores = [score_run(gold, read_sheet(make(tmp_path / f"{n}.csv", text))) for n, text in texts.items()]
    standings = rank_runs(scores, "acp", resamples=200)
    assert [(s.place, s.run) for s in standings] == [(1, "best"), (1, "same"), (3, "worse")]
    assert standings[1].p == 1


def corrupt(text: bytes, rng: Random) -> bytes:
    """Change, remove, insert or double some bytes, or a whole line."""
    place = rng.randrange(len(text))
    lines = text.split(b"\n")
    line = rng.randrange(len(lines))
    return rng.choice(
        [
            text[:place]
            + rng.choice([b"0", b"1", b";", b'"', b"\n", b"\xff", b"\0", b"2"])
            + text[place + 1 :],
            text[:place] + text[place + 1 :],
            text[:place] + rng.choice([b"0", b"1", b";", b'"', b"\n", b"\r", b" "]) + text[place:],
            text[:place],
            b"\n".join(lines[:line] + lines[line + 1 :]),
            b"\n".join(lines[: line + 1] + lines[line:]),
        ]
    )


def refusal(folder: Path, text: bytes) -> str | None:
    """Return the message with which a run is refused; one that is scored must have the official numbers."""
    try:
        found = score(folder, text)
    except DataError as error:
        return str(error)
    expected = official(folder / "gold.csv", folder / "absita_acp_t_1.csv", with_other=True)
    assert twelve(found) == pytest.approx(expected)
    return None


def names_a_place(message: str | None) -> bool:
    return message is None or any(said in message for said in ("line ", "no rows"))


@pytest.mark.parametrize("seed", range(100))
def test_corrupted_run_is_scored_right_or_refused(tmp_path: Path, seed: int) -> None:
    assert names_a_place(refusal(tmp_path, corrupt(RIGHT.encode(), Random(seed))))


def corrupt_often(seed: int) -> bytes:
    rng = Random(seed)
    text = RIGHT.encode()
    for _ in range(rng.randint(1, 3)):
        text = corrupt(text, rng) or RIGHT.encode()
    return text


@pytest.mark.slow
@pytest.mark.parametrize("block", range(10))
def test_ten_thousand_corrupted_runs_are_scored_right_or_refused(tmp_path: Path, block: int) -> None:
    messages = [refusal(tmp_path, corrupt_often(1000 * block + k)) for k in range(1000)]
    assert [message for message in messages if not names_a_place(message)] == []


def baseline_run(folder: Path, train: Corpus, test: Corpus, task: str) -> Path:
    predicted = apply_baseline(test, most_frequent(train, task))
    return write_submission(predicted, folder, name_submission(task, "baseline", 1))


def test_baselines_of_the_training_file(real_data: Path, tmp_path: Path) -> None:
    # spec: comfort is the most frequent aspect (2,365 of 6,337 sentences), comfort negative the most frequent
    # pair (1,433); gold holds 8,124 + 784 aspects and 8,282 + 799 pairs
    path = real_data / "absita2018" / "absita_2018_training.csv"
    corpus, gold = read(path), read_sheet(path)
    found = {
        task: score_run(gold, read_sheet(baseline_run(tmp_path, corpus, corpus, task)))
        for task in ("acd", "acp")
    }
    assert found["acd"].acp is None
    acd = found["acd"].acd.counts.sum(axis=(0, 1)).tolist()
    assert acd == [2365, 6337 - 2365, 8124 + 784 - 2365]
    acp = found["acp"].tallies["acp"].counts.sum(axis=(0, 1)).tolist()
    assert acp == [1433, 6337 - 1433, 8282 + 799 - 1433]
