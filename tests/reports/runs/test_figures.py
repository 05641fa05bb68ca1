"""Pictures of runs: they appear where their values exist, hold all of them, and say them in words."""

import re
import sys
from dataclasses import replace

import pytest
from defusedxml import ElementTree

from aspectlab.errors import MissingPartError
from aspectlab.reports.runs.cross_figures import (
    SystemRanking,
    draw_additions,
    draw_ranks,
    list_joint_figures,
    rank_systems,
)
from aspectlab.reports.runs.figures import draw_strips, list_section_figures
from aspectlab.reports.runs.load import RunResult
from aspectlab.reports.runs.summary import summarise
from aspectlab.reports.svg import WIDTH, Picture, Scale, draw_scale, draw_title, fit_label, render_png
from tests.support.runs import make_many, make_results, read_published

SVG = "{http://www.w3.org/2000/svg}"


def list_all(runs: list[RunResult]) -> dict[str, Picture]:
    sections = summarise(runs)
    pictures = [*list_joint_figures(sections), *(p for s in sections for p in list_section_figures(s))]
    names = [picture.name for picture in pictures]
    assert len(set(names)) == len(names)
    return {picture.name: picture for picture in pictures}


PICTURES = list_all(make_many())
KINDS = ["ranks-aste-test-f1", "violations-aste-14lap", "additions-aste-14lap", "runs-aste-14lap-test-f1"]
KINDS += ["papers-aste-14lap-test-f1"]


@pytest.mark.parametrize("name", KINDS)
def test_picture_appears_where_its_values_exist(name: str) -> None:
    assert name in PICTURES


def test_no_other_picture_appears_for_a_single_run() -> None:
    assert list(list_all(make_results("unknown", [[80.0]]))) == ["runs-atsc-tea-test-accuracy"]


@pytest.mark.parametrize("name", KINDS)
def test_picture_stays_within_its_frame(name: str) -> None:
    picture = PICTURES[name]
    tree = ElementTree.fromstring(picture.as_file())
    limits = {
        **dict.fromkeys(("x", "cx", "x1", "x2"), WIDTH),
        **dict.fromkeys(("y", "cy", "y1", "y2"), picture.height),
    }
    places = [
        (float(element.get(name, "0")), limit) for element in tree.iter() for name, limit in limits.items()
    ]
    assert [place for place, limit in places if not 0 <= place <= limit] == []


@pytest.mark.parametrize("name", KINDS)
def test_picture_names_every_system_in_its_words(name: str) -> None:
    assert all(model in PICTURES[name].words for model in ("bdtf/tiny", "stage/tiny", "simstar/tiny"))
    assert 'role="img" aria-label="' in PICTURES[name].inline()


def test_strips_draw_every_run() -> None:
    picture = draw_strips(summarise(make_results("bert", [[80.0, 81.0], [82.0, 83.0, 84.0]]))[0], "accuracy")
    tree = ElementTree.fromstring(picture.as_file())
    # five runs, and the one in the key
    assert len([dot for dot in tree.iter(f"{SVG}circle") if dot.get("class") == "run"]) == 6
    assert picture.words == "bert/tiny 82.00 ± 1.58, 5 runs from 80.00 to 84.00."


def test_ranks_of_the_published_runs_are_those_of_the_split_means() -> None:
    # MGATN is last on every split of both SemEval sets
    runs = [
        replace(run, corpus=corpus)
        for (task, corpus, test, model, metric), row in read_published().items()
        if (task, test, metric) == ("atsc", "test", "accuracy")
        for run in make_results(model, [[float(row[f"mean{split}"])] for split in range(1, 6)])
    ]
    ranking = rank_systems("accuracy", summarise(runs))
    assert ranking is not None
    assert ranking.systems[-1] == "mgan/tiny"
    assert ranking.ranks[-1] == 4
    assert len(ranking.blocks) == 10
    # Demšar's formula with q = 2.569: 2.569 * sqrt(4 * 5 / 60)
    assert ranking.difference == pytest.approx(1.483, abs=0.001)


@pytest.mark.parametrize(
    ("ranks", "groups"),
    [((1.0, 1.5, 4.0), [(0, 1)]), ((1.0, 2.0, 3.0), [(0, 1), (1, 2)]), ((1.0, 3.0, 5.0), [])],
)
def test_groups_are_the_largest_within_the_critical_difference(
    ranks: tuple[float, ...], groups: list[tuple[int, int]]
) -> None:
    assert SystemRanking(("a", "b", "c"), ranks, (), 1.2, 0.5).groups == groups


def test_ranking_leaves_out_systems_without_all_blocks() -> None:
    runs = make_many()
    late = [run for run in runs if not (run.model == "bdtf" and run.corpus == "16res")]
    assert rank_systems("f1", summarise(late)) is None  # two systems on four corpora, three on three


def test_ranking_takes_the_same_runs_in_another_order_for_a_tie() -> None:
    # as floats, the three orders have three sums: 240.6 and its neighbours
    orders = {"a": [80.1, 80.2, 80.3], "b": [80.2, 80.3, 80.1], "c": [80.3, 80.2, 80.1]}
    assert len(set(map(sum, orders.values()))) > 1
    runs = [run for name, row in orders.items() for run in make_results(name, [row] * 4)]
    ranking = rank_systems("accuracy", summarise(runs))
    assert ranking is not None
    assert ranking.ranks == (2.0, 2.0, 2.0)


def test_additions_follow_k() -> None:
    picture = draw_additions("aste", "14lap", [s for s in summarise(make_many()) if s.target[1] == "14lap"])
    assert picture is not None
    assert "simstar/tiny: 68.00 at k = 1, 66.00 at k = 2, 64.00 at k = 3" in picture.words


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0, 100, [0, 20, 40, 60, 80, 100]),
        (71.2, 78.9, [72, 74, 76, 78]),
        (0.9, 1.3, [0.9, 1.0, 1.1, 1.2, 1.3]),
    ],
)
def test_ticks_are_round(low: float, high: float, ticks: list[float]) -> None:
    assert Scale(low, high, 0, 1).ticks() == ticks


def test_number_at_the_edge_of_a_scale_is_not_cut_off() -> None:
    # a digit is 6.3 pixels wide at most, and the number is written around its middle
    *_, last, _ = draw_scale(Scale(69.5, 71.5, 22, WIDTH - 8), 0, 10)
    assert last.endswith(">71.5</text>")
    assert float(last.partition('x="')[2].partition('"')[0]) + 2 * 6.3 <= WIDTH


def test_long_names_of_a_ranking_stay_different() -> None:
    names = [f"minicongts+{variant}/minilm" for variant in ("contrast", "mato", "base")]
    runs = [
        run
        for name in names
        for run in make_results(name.partition("/")[0], [[60.0], [61.0], [62.0], [63.0]])
    ]
    ranking = rank_systems("accuracy", summarise([replace(run, encoder="minilm") for run in runs]))
    assert ranking is not None
    texts = re.findall(r">(minicongts[^<]*)<", draw_ranks("atsc", "test", "accuracy", ranking).as_file())
    assert len(set(texts)) == len(names)


def test_title_is_cut_before_it_leaves_its_picture() -> None:
    # a bold letter is about 7 pixels wide
    title = draw_title("MATO · metamorphic: mean ranks by conditional violation rate").partition(">")[2]
    assert 7 * len(title.removesuffix("</text>")) <= WIDTH


def test_labels_are_cut_in_the_middle() -> None:
    assert fit_label("capsnet-bert/minilm [epochs=4]", 100) == "capsnet-b…hs=4]"
    assert fit_label("short", 100) == "short"


def test_png_without_resvg_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(MissingPartError, match="pip install"):
        render_png("<svg/>")


def test_png_is_a_png() -> None:
    pytest.importorskip("resvg_py", reason="PNG needs the extra 'png'")
    assert render_png(PICTURES[KINDS[0]].as_file()).startswith(b"\x89PNG")


def test_violations_stand_against_f1_of_the_test_set() -> None:
    # the scores on ARTS have the same name, and come first by the alphabet
    (run,) = make_results("bert", [[80.0]])
    runs = [
        replace(
            run,
            label=name,
            model=name,
            scores={"arts": {"f1": 41.0 + n}, "test": {"f1": 70.0 - n, "vr": 10.0 + n}},
        )
        for n, name in enumerate(("bert", "grace", "stage"))
    ]
    words = next(picture.words for name, picture in list_all(runs).items() if name.startswith("violations"))
    assert "70.00" in words
    assert "41.00" not in words
