"""Tables of predictions: read as corpora, or refused with the place."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from aspectlab.data import Polarity
from aspectlab.errors import DataError
from aspectlab.robustness import PredictionTable, lay_out, read_predictions, score_robustness

HEADER = "id,sentence,term,gold_label,first,second"
ROWS = [
    "7_0,Fine tea.,tea,positive,positive,negative",
    "7_0_adv1,Awful tea.,tea,negative,negative,negative",
    '7_0_adv4,"Fine tea, bad cup.",tea,positive,neutral,positive',
]


def write(folder: Path, *lines: str) -> Path:
    path = folder / "table.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def read_lines(folder: Path, *lines: str) -> PredictionTable:
    return read_predictions(write(folder, *lines))


def test_predictions_give_a_corpus_per_model(tmp_path: Path) -> None:
    found = read_lines(tmp_path, HEADER, *ROWS)
    assert [*found.models] == ["first", "second"]
    assert [example.quads[0].polarity for example in found.models["second"]] == [
        Polarity.NEGATIVE,
        Polarity.NEGATIVE,
        Polarity.POSITIVE,
    ]
    assert [example.text for example in found.gold] == ["Fine tea.", "Awful tea.", "Fine tea, bad cup."]


def test_predictions_read_the_suffixes(tmp_path: Path) -> None:
    found = read_lines(tmp_path, HEADER, *ROWS)
    assert [(e.source, e.variant) for e in found.gold] == [
        (None, None),
        ("7_0", "revtgt"),
        ("7_0", "adddiff"),
    ]


@pytest.mark.parametrize("strategy", ["revnon+adddiff", "revtgt-predicted", "revtgt+adddiff-predicted"])
def test_predictions_know_the_names_that_generate_gives(tmp_path: Path, strategy: str) -> None:
    # such rows counted as originals, which spoilt every score
    lines = ["id,sentence,term,gold_label,m", "1_0,A.,tea,positive,positive"]
    table = read_lines(tmp_path, *lines, f"1_0_{strategy},B.,tea,positive,negative")
    variant = table.gold.examples[1]
    assert (variant.source, variant.variant) == ("1_0", strategy)
    assert score_robustness(table.gold, table.models["m"]).entire["aspect"].new == 0


def test_predictions_pass_over_a_column_without_a_name(tmp_path: Path) -> None:
    rows = [f"{number},{row}" for number, row in enumerate(ROWS)]
    assert [*read_lines(tmp_path, f",{HEADER}", *rows).models] == ["first", "second"]


def test_predictions_find_columns_in_any_order(tmp_path: Path) -> None:
    found = read_lines(tmp_path, "mine,gold_label,term,sentence,id", "positive,negative,tea,Tea.,1")
    assert found.gold.examples[0].quads[0].polarity == Polarity.NEGATIVE
    assert [*found.models] == ["mine"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([HEADER, "7_0_adv9,Tea.,tea,positive,positive,positive"], "line 2: found the id '7_0_adv9'"),
        ([HEADER, "7_0_adv,Tea.,tea,positive,positive,positive"], "line 2: found the id '7_0_adv'"),
        ([HEADER, ROWS[0], ROWS[0]], "line 3: found the id '7_0' again"),
        (
            [HEADER, "1,Tea.,tea,good,positive,positive"],
            "line 2, column 'gold_label': found the polarity 'good'",
        ),
        ([HEADER, "1,Tea.,tea,positive,positive,meh"], "line 2, column 'second': found the polarity 'meh'"),
        ([HEADER, "1,Tea.,tea,positive,,positive"], "line 2, column 'first': found the polarity ''"),
        ([HEADER, "1,Tea.,tea,positive"], "line 2: found 4 cells"),
        ([HEADER], "no row below the header"),
        (["id,sentence,term,gold_label", "1,Tea.,tea,positive"], "expected a column per model"),
        (["id,sentence,term,first", "1,Tea.,tea,positive"], "expected a column gold_label or gold"),
        (["sentence,term,gold_label,first", "Tea.,tea,positive,positive"], "expected a column id"),
        ([f"{HEADER},first", f"{ROWS[0]},positive"], "found the column 'first' twice"),
        ([""], "found no row"),
    ],
)
def test_predictions_refuse(tmp_path: Path, lines: list[str], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_lines(tmp_path, *lines)


def test_predictions_refuse_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read_predictions(tmp_path / "absent.csv")


def test_variant_without_source_is_named(tmp_path: Path) -> None:
    found = read_lines(tmp_path, HEADER, *ROWS[1:])
    with pytest.raises(DataError, match="example '7_0_adv1': found the source '7_0'"):
        lay_out(found.gold)


CELLS = st.sampled_from(["1", "1_adv1", "_adv3", "x_advx", "positive", "neg", "", '"', "\x00", "é", "😀"])
TABLES = st.lists(st.lists(CELLS, max_size=7).map(",".join), max_size=5).map("\n".join)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=st.sampled_from([f"{HEADER}\n", ""]), rest=st.one_of(st.binary(), TABLES.map(str.encode)))
def test_predictions_of_any_bytes_give_a_table_or_a_data_error(
    tmp_path: Path, start: str, rest: bytes
) -> None:
    path = tmp_path / "fuzz.csv"
    path.write_bytes(start.encode() + rest)
    try:
        found = read_predictions(path)
    except DataError:
        return
    assert all(len(corpus) == len(found.gold) for corpus in found.models.values())
