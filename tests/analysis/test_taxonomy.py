"""Taxonomies: what a file may say, all mistakes at once, and what extends the built-in one."""

from pathlib import Path

import pytest

from aspectlab.analysis import GENERAL, TAXONOMIES, find_overlaps, load_taxonomy, parse_taxonomy
from aspectlab.analysis.taxonomy import taxonomy_of_names
from aspectlab.errors import DataError

MISTAKES = """\
name = "mine"
extends = "generel"
discover = "yes"
[categories.staff]
synonym = ["clerk"]
parent = "servce"
[categories.food]
synonyms = ["soup", 3]
[categories.soup]
parent = "drinks"
[categories.drinks]
parent = "food"
[categories.Drink]
[categories."other"]
[merge]
food = "fod"
[rename]
staff = "food"
"""


def errors(text: str) -> list[str]:
    with pytest.raises(DataError) as caught:
        parse_taxonomy(text, "my.toml")
    head, *lines = str(caught.value).splitlines()
    assert head == f"my.toml: {len(lines)} mistake{'s' * (len(lines) > 1)}:"
    return [line.strip().partition(": found")[0] for line in lines]


def test_all_mistakes_are_listed_with_line_and_key() -> None:
    assert sorted(errors(MISTAKES)) == [
        "line 10: categories.soup.parent",
        "line 13: categories.Drink",
        "line 14: categories.other",
        "line 16: merge.food",
        "line 18: rename.staff",
        "line 2: extends",
        "line 3: discover",
        "line 5: categories.staff.synonym",
        "line 6: categories.staff.parent",
        "line 8: categories.food.synonyms",
    ]


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("name = 'none'", "categories"),
        ("[categories]\nfood = 3", "line 2: categories.food"),
        ("[categories.food]\nparent = 'food'", "line 2: categories.food.parent"),
        ("[categories.food]\nfallback = 1", "line 2: categories.food.fallback"),
        ("[categories.food]\nsynonyms = ['']", "line 2: categories.food.synonyms"),
        ("[categories.'a\tb']", 'line 1: categories."a\\tb"'),
        ("[categories.food]\n[merge]\nfood = 'food'", "line 3: merge.food"),
        ("[categories.a]\n[categories.b]\n[merge]\na = 'b'\n[rename]\na = 'c'", "line 6: rename.a"),
        ("discover = false\n[categories.a]\n[rename]\nb = 'c'", "line 4: rename.b"),
        ("[categories.a]\n[merge]\nb = 3", "line 3: merge.b"),
        ("exclude = 'a'\n[categories.a]", "line 1: exclude"),
    ],
)
def test_mistake_is_named(text: str, key: str) -> None:
    assert errors(text) == [key]


@pytest.mark.parametrize("text", ["[categories.food", "a = = 3", "[[[[" * 3000])
def test_what_is_no_toml_is_refused(text: str) -> None:
    with pytest.raises(DataError, match=r"my\.toml: .*expected TOML"):
        parse_taxonomy(text, "my.toml")


def test_absent_file_names_the_way_to_one(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"No such file.*aspectlab taxonomy show general > taxonomy"):
        load_taxonomy(tmp_path / "absent.toml")


def test_built_in_one_has_the_categories_of_the_brief() -> None:
    taxonomy = load_taxonomy(GENERAL)
    names = {rule.name for rule in taxonomy.categories}
    assert names > {"price", "delivery", "staff", "quality", "ease of use", "location", "room", "cleanliness"}
    assert 30 <= len(names) <= 40
    assert all(rule.description and rule.synonyms for rule in taxonomy.categories)


def test_words_of_the_built_in_one_are_claimed_once() -> None:
    assert find_overlaps(load_taxonomy(GENERAL)) == []


def test_copy_of_the_built_in_one_is_the_same(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_bytes(TAXONOMIES[GENERAL].read_bytes())
    assert load_taxonomy(tmp_path / "mine.toml") == load_taxonomy(GENERAL)


def test_file_that_extends_adds_words_and_keeps_the_rest() -> None:
    text = (
        "extends = 'general'\n[categories.staff]\nsynonyms = ['butler']\n[categories.sauna]\nparent = 'room'"
    )
    mine, general = parse_taxonomy(text, "my.toml"), load_taxonomy(GENERAL)
    assert len(mine.categories) == len(general.categories) + 1
    (staff,) = (rule for rule in mine.categories if rule.name == "staff")
    assert {"butler", "waiter"} <= set(staff.synonyms)
    assert (staff.parent, mine.parent_of("sauna"), mine.discover) == ("service", "room", True)


def test_edits_apply_to_names_and_their_parents() -> None:
    text = """
        extends = "general"
        exclude = ["parking"]
        merge = { breakfast = "food", casino = "facilities" }
        rename = { food = "meals", lift = "elevator" }
    """
    taxonomy = parse_taxonomy(text, "my.toml")
    shown = [taxonomy.resolve(name) for name in ("breakfast", "casino", "parking", "lift", "room")]
    assert shown == ["meals", "facilities", "", "elevator", "room"]
    assert [taxonomy.parent_of(name) for name in ("drinks", "meals", "elevator")] == [
        "meals",
        "meals",
        "elevator",
    ]


def test_names_bring_the_words_of_their_parts() -> None:
    service, staff = taxonomy_of_names(["Service", "staff"]).categories
    assert "waiter" in staff.synonyms
    # the staff is a category of its own, the queue is not
    assert "queue" in service.synonyms
    assert "waiter" not in service.synonyms
