"""Pictures of a corpus: they appear where their values exist, stay in their frame, and cover nothing."""

import re
import sys
from itertools import combinations

import pytest
from defusedxml import ElementTree

from aspectlab.data import Corpus
from aspectlab.data.statistics import break_down
from aspectlab.errors import MissingPartError
from aspectlab.reports.corpus.figures import layout_cloud, list_clouds, list_figures
from aspectlab.reports.svg import WIDTH, Picture, StackedBar, draw_stacked_bars
from tests.support.corpora import BARE, CATEGORIES, EMPTY, TARGETS, make_corpus, make_hostile

SVG = "{http://www.w3.org/2000/svg}"
TEN, MANY = make_corpus(10), make_corpus(500)
WITHOUT_CLOUDS = ["lengths", "segments", "polarities", "multiword", "topics"]


def draw(corpus: Corpus) -> dict[str, Picture]:
    return {picture.name: picture for picture in list_figures(break_down(corpus))}


@pytest.mark.parametrize(
    ("corpus", "names"),
    [
        (TEN, [*WITHOUT_CLOUDS, "topic-segments", "aspects", "opinions"]),
        (TARGETS, ["lengths", "segments", "polarities", "multiword", "aspects"]),
        (CATEGORIES, ["lengths", "segments", "polarities", "topics"]),
        (BARE, ["lengths"]),
        (EMPTY, []),
    ],
    ids=["triplets", "aspects", "categories", "texts", "nothing"],
)
def test_picture_appears_where_its_values_exist(corpus: Corpus, names: list[str]) -> None:
    assert list(draw(corpus)) == names


def frame_places(picture: Picture) -> list[tuple[float, float]]:
    limits = {"x": WIDTH, "cx": WIDTH, "x1": WIDTH, "x2": WIDTH}
    limits |= dict.fromkeys(("y", "cy", "y1", "y2"), picture.height)
    tree = ElementTree.fromstring(picture.as_file())
    return [(float(part.get(name, "0")), limit) for part in tree.iter() for name, limit in limits.items()]


@pytest.mark.parametrize("corpus", [TEN, MANY, make_hostile(), TARGETS], ids=["10", "500", "odd", "aspects"])
def test_pictures_stay_within_their_frame(corpus: Corpus) -> None:
    places = [place for picture in draw(corpus).values() for place in frame_places(picture)]
    assert [place for place, limit in places if not 0 <= place <= limit] == []


@pytest.mark.parametrize("corpus", [TEN, MANY], ids=["10", "500"])
def test_lines_of_text_do_not_cover_each_other(corpus: Corpus) -> None:
    # names end where bars begin, and numbers stand behind them: only one under another could touch
    rows = [
        float(part.get("y", "0"))
        for name in ("aspects", "topics")
        for part in ElementTree.fromstring(draw(corpus)[name].as_file()).iter(f"{SVG}text")
        if part.get("class") == "end"
    ]
    assert min(abs(one - other) for one, other in combinations(sorted(set(rows)), 2)) >= 11


def test_picture_of_many_terms_shows_some_and_says_of_how_many() -> None:
    picture = draw(MANY)["aspects"].as_file()
    assert "15 of 500 different aspects are shown" in picture
    assert len(re.findall('class="end"', picture)) == 15
    assert "20 of 30 topics are shown" in draw(MANY)["topics"].as_file()


def test_segments_are_shares_of_their_own_number() -> None:
    # ten aspects stand in 10 + 5 + 3 + 2 + 2 + 1 + 1 + 1 + 1 + 1 = 27 segments, and one is empty
    words = draw(TEN)["segments"].words
    assert words == "segments: 27 (96.4 %); rows: 27 (96.4 %)."


def test_bar_is_as_long_as_its_share() -> None:
    picture = draw_stacked_bars(
        "x", "X", [StackedBar("a", {"here": 0.25}, "25"), StackedBar("b", {"here": 1.0}, "100")], whole=1
    )
    assert picture is not None
    quarter, full = (
        float(part.get("width", "0"))
        for part in ElementTree.fromstring(picture.as_file()).iter(f"{SVG}rect")
        if part.get("class") == "here"
    )
    assert quarter == pytest.approx(full / 4, abs=0.1)


def test_negative_has_a_sign_beside_its_colour() -> None:
    assert "negative −" in draw(TEN)["polarities"].as_file()


@pytest.mark.parametrize("corpus", [TEN, MANY, make_hostile()], ids=["10", "500", "odd"])
def test_cloud_words_do_not_overlap(corpus: Corpus) -> None:
    pytest.importorskip("wordcloud", reason="clouds need the extra 'clouds'")
    terms = break_down(corpus).terms["aspect"]
    words = layout_cloud({term.name.replace("\n", " ")[:40]: term.rows for term in terms})
    assert len(words) >= min(len(terms), 20)
    boxes = [word.ink for word in words]
    assert all(
        a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1] for a, b in combinations(boxes, 2)
    )
    assert all(box[0] >= 0 and box[2] <= WIDTH for box in boxes)


def test_clouds_are_the_same_every_time_and_parse() -> None:
    pytest.importorskip("wordcloud", reason="clouds need the extra 'clouds'")
    one, other = (list_clouds(break_down(make_hostile())) for _ in range(2))
    assert one == other
    assert [ElementTree.fromstring(picture.as_file()).tag for picture in one] == [f"{SVG}svg"] * 2


def test_clouds_say_which_package_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordcloud", None)
    with pytest.raises(MissingPartError, match=r"pip install 'aspectlab\[clouds\]'"):
        list_clouds(break_down(TEN))
