"""The page and the pictures on mutants: they hold every verdict, in shapes and in words."""

from dataclasses import replace
from pathlib import Path

import pytest
from defusedxml import ElementTree

from aspectlab.errors import DataError
from aspectlab.metamorphic import RELATIONS
from aspectlab.metamorphic.mutant_report import name_pictures, render_mutants, write_mutants
from aspectlab.metamorphic.mutants import MutantRun, Rates, compare_relations, join_runs
from aspectlab.reports.svg import WIDTH
from tests.support.html import parse

SVG = "{http://www.w3.org/2000/svg}"
OPERATORS = ("GF", "WS", "NEB", "NS")
POISON = "<script>alert(1)</script>"


def make_run(model: str) -> MutantRun:
    """MR1-* notice more than gold labels do, MR2-1 and MR2-2 as much, MR2-3 and MR2-4 less."""
    gaps = {**dict.fromkeys(RELATIONS, 0.2), "MR2-1": 0.0, "MR2-2": 0.0, "MR2-3": -0.2, "MR2-4": -0.2}
    mutants = [
        Rates(0.3 + 0.01 * n, {name: 0.3 + 0.01 * n + gap * (1 + 0.02 * n) for name, gap in gaps.items()})
        for n in range(10)
    ]
    return MutantRun(model, "14lap", "aste-vr|x", tuple(compare_relations(dict.fromkeys(OPERATORS, mutants))))


RUNS = join_runs(
    [make_run("stage"), make_run("a model with a name that is too long for any picture of this width")]
)
PICTURES = name_pictures(RUNS)


@pytest.mark.parametrize("name", PICTURES)
def test_mutant_picture_stays_within_its_frame(name: str) -> None:
    picture = PICTURES[name]
    tree = ElementTree.fromstring(picture.as_file())
    wide, high = ("x", "cx", "x1", "x2"), ("y", "cy", "y1", "y2")
    across = [float(element.get(key, "0")) for element in tree.iter() for key in wide]
    down = [float(element.get(key, "0")) for element in tree.iter() for key in high]
    assert 0 <= min(across) <= max(across) <= WIDTH
    assert 0 <= min(down) <= max(down) <= picture.height


def test_grid_has_a_sign_for_every_verdict() -> None:
    tree = ElementTree.fromstring(PICTURES["verdicts-stage-14lap"].as_file())
    boxes = [element.get("class") for element in tree.iter(f"{SVG}rect")]
    # 8 relations and 4 operators by p: 4 are better, 2 similar, 2 worse; by Holm's none of 64 tests stands
    # with ten mutants (64 * 2 / 1024 > 0.05); one more of each in the key
    assert [boxes.count(kind) for kind in ("better", "similar", "worse")] == [
        4 * 4 + 1,
        2 * 4 + 32 + 1,
        2 * 4 + 1,
    ]
    # every box has its shape: three corners for a tip, four for a bar
    corners = [len((element.get("points") or "").split()) for element in tree.iter(f"{SVG}polygon")]
    assert (corners.count(3), corners.count(4)) == (26, 41)


def test_grid_says_the_verdicts_in_words() -> None:
    words = PICTURES["verdicts-stage-14lap"].words
    assert "MR1-1: GF better (Holm similar)" in words
    assert "MR2-4: GF worse (Holm similar)" in words


def test_statistics_count_the_verdicts_of_all_models() -> None:
    assert "MR1-1: better 8 (Holm 0), similar 0 (Holm 8)" in PICTURES["statistics-by-relation"].words
    assert (
        "GF: better 8 (Holm 0), similar 4 (Holm 16), worse 4 (Holm 0)"
        in PICTURES["statistics-by-operator"].words
    )
    assert "stage on 14lap: better 16" in PICTURES["statistics-by-model"].words


def test_rates_draw_every_mutant() -> None:
    tree = ElementTree.fromstring(PICTURES["rates-stage-14lap"].as_file())
    # 8 relations and the gold labels, 4 operators, 10 mutants, and the dot of the key
    assert len(list(tree.iter(f"{SVG}circle"))) == (8 + 1) * 4 * 10 + 1


def test_single_model_has_no_picture_by_model() -> None:
    assert not [name for name in name_pictures([make_run("stage")]) if name.endswith("by-model")]


def test_mutant_page_holds_tables_pictures_and_a_warning() -> None:
    tags = parse(render_mutants(RUNS))
    assert tags.tags.count("svg") == 3 + 2 * 2
    assert tags.tags.count("tr") == 2 * (1 + 8 * 4)
    assert "with 10 mutants and 64 tests no corrected p can be below 0.05" in "".join(tags.texts)


def test_mutant_page_shows_hostile_names_as_names() -> None:
    page = render_mutants([replace(make_run(POISON), corpus=POISON, signature=POISON)])
    assert POISON not in page
    assert parse(page).tags.count("script") == 1


def test_mutant_pictures_of_alike_names_do_not_replace_each_other(tmp_path: Path) -> None:
    alike = [make_run("a b"), make_run("a_b")]
    written = write_mutants(tmp_path / "plots", alike)
    assert len(set(written)) == len(written) == 2 + 3 + 2 * 2
    assert all(path.is_file() for path in written)


def test_mutant_files_name_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("x")
    with pytest.raises(DataError, match="taken: cannot be written to"):
        write_mutants(tmp_path / "taken", [make_run("stage")])
