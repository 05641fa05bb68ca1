"""Every figure of MuSe-CarASTE that can be had from its files comes out of one command, and is on its card.

Expected values are those of the MuSe-CarASTE paper, misprints corrected.
"""

import json
from pathlib import Path

import pytest

from aspectlab.reports.corpus.figures import format_part
from tests.support.stats_command import MUSE, run_stats

pytestmark = pytest.mark.slow

Record = dict[str, object]


@pytest.fixture(scope="module")
def folder(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data card; the same command also prints what the fixture `muse` of the other file has."""
    out = tmp_path_factory.mktemp("card")
    run_stats(real_data, *MUSE, "--total", "--plots", str(out))
    return out


@pytest.fixture(scope="module")
def card(folder: Path) -> dict[str, Record]:
    found: dict[str, Record] = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    train, devel = found["files"]
    return {"train": train, "devel": devel, "total": found["total"], "parts": found["parts"]}


def properties_of(card: dict[str, Record], part: str) -> Record:
    found = card[part]["triplet_properties"]
    assert isinstance(found, dict)
    return found


TOTAL, TRAIN, DEVEL = "total", "train", "devel"


@pytest.mark.parametrize(
    ("part", "key", "value"),
    [
        (TOTAL, "rows", 15609),
        (TOTAL, "empty_rows", 1442),
        (TOTAL, "nonempty_rows", 14167),
        (TOTAL, "unique_aspects", 3048),
        (TOTAL, "unique_opinions", 7875),
        (TOTAL, "unique_aspects_caseless", 3015),
        (TOTAL, "unique_opinions_caseless", 7869),
        (TOTAL, "unique_triplets", 12657),
        (TOTAL, "segments", 5507),
        (TRAIN, "segments", 4194),
        (DEVEL, "segments", 1313),
        (TOTAL, "nonempty_segments", 4082),
        (TOTAL, "videos", 303),
        (TRAIN, "rows", 11310),
        (TRAIN, "empty_rows", 1206),
        (TRAIN, "nonempty_rows", 10104),
        (TRAIN, "positive", 6519),
        (TRAIN, "negative", 1793),
        (TRAIN, "neutral", 1792),
        (DEVEL, "rows", 4299),
        (DEVEL, "empty_rows", 236),
        (DEVEL, "nonempty_rows", 4063),
        (DEVEL, "positive", 2813),
        (DEVEL, "negative", 469),
        (DEVEL, "neutral", 781),
        (TOTAL, "positive", 9332),
        (TOTAL, "negative", 2262),
        (TOTAL, "neutral", 2573),
        (TOTAL, "multiword_aspects", 4912),
        (TOTAL, "multiword_opinions", 8688),
        (TOTAL, "multiword_triplets", 10603),
    ],
)
def test_card_holds_the_counts_of_muse_caraste(
    card: dict[str, Record], part: str, key: str, value: int
) -> None:
    assert properties_of(card, part)[key] == value


# the paper and the specification print so many digits
@pytest.mark.parametrize(
    ("key", "value", "digits"),
    [
        ("words_per_pair", 3.5247, 4),
        ("words_per_pair_nonempty", 3.680, 3),
        ("words_per_triplet", 4.5247, 4),
    ],
)
def test_card_holds_the_means_of_muse_caraste(
    card: dict[str, Record], key: str, value: float, digits: int
) -> None:
    assert round(float(str(properties_of(card, TOTAL)[key])), digits) == value


def test_card_counts_topics_and_different_training_texts(card: dict[str, Record]) -> None:
    assert card[TOTAL]["categories"] == 10
    assert card[TRAIN]["sentences_unique"] == 4189  # the other of the two numbers of segments in the paper


# Section 5 of the paper: the fences and extremes of Figs. 6 and 7
@pytest.mark.parametrize(
    ("part", "number", "fences", "longest"),
    [("text", 5500, [1, 169], 1480), ("aspect", 14167, [1, 3], 10), ("opinion", 14167, [1, 6], 20)],
)
def test_card_has_the_boxes_of_figures_6_and_7(
    card: dict[str, Record], part: str, number: int, fences: list[int], longest: int
) -> None:
    lengths = card["parts"]["lengths"]
    assert isinstance(lengths, dict)
    found = lengths[part]
    assert (found["number"], found["fences"], found["five"]["max"]) == (number, fences, longest)


# Fig. 4, Table 3, Table 6 and Fig. 11 as shares; that of segments on the right base
@pytest.mark.parametrize(
    "shown",
    [
        "4,082 (74.1 %)",
        "14,167 (90.8 %)",
        "9,332 (65.9 %)",
        "4,912 (34.7 %)",
        "8,688 (61.3 %)",
        "10,603 (74.8 %)",
        "6,519 (64.5 %)",
        "2,813 (69.2 %)",
    ],
)
def test_card_shows_the_shares_of_the_pictures(folder: Path, shown: str) -> None:
    assert shown in (folder / "card.html").read_text(encoding="utf-8")


# Table 3: 6,519 of 10,104 are 64.52 %, and 1,793 are 17.75 %, where the paper has 17.8
@pytest.mark.parametrize(("number", "share"), [(6519, "64.5"), (1793, "17.7"), (1792, "17.7")])
def test_shares_of_the_training_set(number: int, share: str) -> None:
    assert format_part(number, 10104) == f"{number:,} ({share} %)"


# Fig. 9 by the numbers of segments that section 3 of the specification lists
def test_card_has_the_segments_of_every_topic(card: dict[str, Record]) -> None:
    topics = card["parts"]["topics"]
    assert isinstance(topics, list)
    assert {topic["name"]: topic["segments"] for topic in topics} == {
        "performance": 830,
        "interior-features": 523,
        "quality-aesthetic": 570,
        "comfort": 497,
        "handling": 787,
        "safety": 149,
        "general-information": 1022,
        "cost": 389,
        "user-experience": 238,
        "exterior-features": 502,
    }
