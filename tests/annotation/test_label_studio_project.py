"""What goes to Label Studio: configuration, tasks, instructions."""

from pathlib import Path

import pytest
from defusedxml.ElementTree import fromstring

from aspectlab.annotation import make_config, read_guidelines, render_guidelines, write_label_studio
from aspectlab.data import Corpus, Example, Part, Quad
from aspectlab.errors import DataError
from tests.support.segments import make_corpus

ROOT = Path(__file__).parent.parent.parent


def controls(config: str) -> dict[str, list[str]]:
    """Return the values that each control offers."""
    return {
        str(tag.get("name")): [str(choice.get("value")) for choice in tag]
        for tag in fromstring(config).iter()
        if tag.get("toName") == "text"
    }


def test_configuration_has_every_control() -> None:
    found = controls(make_config(make_corpus(20)))
    assert found == {
        "term": ["Aspect", "Opinion"],
        "polarity": ["positive", "negative", "neutral", "conflict"],
        "implied": [],
        "category": ["<style>", "cost & value", "quality"],
        "unplaced": [],
        "empty": ["No opinion here"],
    }


def test_configuration_asks_for_no_conflict_and_no_category_where_there_is_none() -> None:
    found = controls(make_config(Corpus("c", "en", frozenset(), (Example("1", "Fine."),))))
    assert found["polarity"] == ["positive", "negative", "neutral"]
    assert "category" not in found


def test_configuration_shows_the_topic() -> None:
    quads = (Quad(category="comfort"),)
    config = make_config(Corpus("c", "en", frozenset({Part.CATEGORY}), (Example("1", "Fine.", quads),)))
    assert 'value="$topic"' in config
    assert "category" not in controls(config)


@pytest.mark.parametrize("name", ["co\x00st", "co\ud800st"])
def test_category_that_no_configuration_can_hold_is_refused(name: str, tmp_path: Path) -> None:
    quads = Quad(category=name), Quad(category="style")
    corpus = Corpus("c", "en", frozenset({Part.CATEGORY}), (Example("1", "Fine.", quads),))
    with pytest.raises(DataError, match=r"found the category 'co.*rename it"):
        write_label_studio(corpus, tmp_path / "project")
    assert not (tmp_path / "project").exists()


def test_project_is_three_files(tmp_path: Path) -> None:
    paths = write_label_studio(make_corpus(4), tmp_path / "new" / "project")
    assert [path.name for path in paths] == ["config.xml", "tasks.json", "instructions.html"]
    assert all(path.stat().st_size for path in paths)


def test_project_is_refused_where_a_file_stands(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="cannot be written"):
        write_label_studio(make_corpus(4), tmp_path / "file")


def test_guidelines_of_the_docs_and_of_the_project_are_one_text() -> None:
    page = (ROOT / "docs" / "how-to" / "guidelines.md").read_text("utf-8")
    assert page == read_guidelines()


def test_guidelines_are_rendered_as_lists_and_headings() -> None:
    page = render_guidelines()
    # eight rules in one numbered list
    assert page.split("<ol>")[1].split("</ol>")[0].count("<li>") == 8
    assert page.count("<h2>") == 3
