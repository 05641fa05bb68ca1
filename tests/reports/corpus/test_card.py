"""The data card: complete, escaped, without network, and the same bytes every time."""

import json
import sys
from pathlib import Path

import pytest

from aspectlab.data import Corpus
from aspectlab.errors import DataError
from aspectlab.reports.corpus.card import build_card, render_card, write_card
from aspectlab.reports.corpus.figures import list_figures
from tests.support.corpora import BARE, CATEGORIES, EMPTY, TARGETS, make_corpus, make_hostile
from tests.support.html import parse

TEN = make_corpus(10)


def render(*corpora: Corpus, raw: bool = False) -> str:
    card = build_card(corpora, raw=raw)
    return render_card(card, list_figures(card.parts))


@pytest.mark.parametrize(
    "corpus",
    [TEN, TARGETS, CATEGORIES, BARE, EMPTY, make_hostile(), make_corpus(500)],
    ids=["triplets", "aspects", "categories", "texts", "nothing", "hostile", "500"],
)
def test_card_is_closed_and_loads_nothing(corpus: Corpus) -> None:
    page = parse(render(corpus))
    assert {"img", "link", "iframe", "object"} & set(page.tags) == set()
    assert page.tags.count("script") == 1
    assert not any(name.startswith("on") or name in {"src", "style"} for name, _ in page.attributes)
    assert all(str(value).startswith("#") for name, value in page.attributes if name == "href")


def test_card_says_what_the_corpus_is() -> None:
    texts = " ".join(parse(render(TEN)).texts)
    assert "Data card: made" in texts
    assert "Language en · annotates aspect, category, opinion, polarity" in texts
    assert "made.jsonl" in texts


def test_card_does_not_say_where_the_file_lay() -> None:
    assert "secret" not in render(TEN)


def test_card_of_two_files_has_a_row_each_and_one_name() -> None:
    page = render(TEN, make_corpus(3, name="other"))
    assert "Data card: made + other" in page
    assert "other.jsonl" in page


def test_card_links_lead_to_its_parts() -> None:
    page = parse(render(TEN))
    places = {value for name, value in page.attributes if name == "id"}
    links = {str(value)[1:] for name, value in page.attributes if name == "href"}
    assert links <= places
    assert {"pictures", "counts", "topics", "aspects-by-topic", "opinions-by-polarity", "provenance"} <= links


def test_card_ranks_fifteen_terms_of_a_class() -> None:
    page = render(make_corpus(500))
    negative = page[page.index('id="opinions-by-polarity"') :]
    table = negative[negative.index("<caption>negative") : negative.index("</table>")]
    assert table.count('<th scope="row"') == 15


@pytest.mark.parametrize(("raw", "said"), [(True, "files as they are"), (False, "every sentence once")])
def test_card_says_how_it_counts(raw: bool, said: str) -> None:
    assert said in render(TEN, raw=raw)


def test_files_are_the_page_its_numbers_and_pictures(tmp_path: Path) -> None:
    written, absent = write_card(tmp_path / "new" / "card", [TEN])
    names = {path.name for path in written}
    assert {"card.html", "card.json", "lengths.svg", "topics.svg"} <= names
    assert len(absent) == ("lengths.png" not in names) + ("cloud-aspects.svg" not in names)
    found = json.loads((tmp_path / "new" / "card" / "card.json").read_text(encoding="utf-8"))
    assert found["parts"]["whole"]["segments"] == 28
    assert found["signature"].startswith("data-card|corpus:ab|")


def test_files_do_without_what_is_not_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "wordcloud", None)
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    written, absent = write_card(tmp_path, [TARGETS])
    assert {path.suffix for path in written} == {".html", ".json", ".svg"}
    assert [reason.partition(" is not")[0] for reason in absent] == [
        "word clouds: wordcloud",
        "--format png: resvg-py",
    ]


def test_files_of_a_hostile_corpus_keep_their_names(tmp_path: Path) -> None:
    written, _ = write_card(tmp_path, [make_hostile()])
    assert all(path.parent == tmp_path for path in written)


def test_files_refuse_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    with pytest.raises(DataError, match="cannot be written"):
        write_card(tmp_path / "taken", [BARE])


def test_files_are_the_same_bytes_every_time(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_card(tmp_path / name, [TARGETS])
    assert [path.read_bytes() for path in sorted((tmp_path / "one").iterdir())] == [
        path.read_bytes() for path in sorted((tmp_path / "two").iterdir())
    ]
