"""Files of predictions as other packages write them; their shapes are those of setfit 1 and pyabsa 2.4.2."""

import json
from pathlib import Path

import pytest

from aspectlab.data import Corpus, Example, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.metrics import evaluate
from aspectlab.readers import read, read_predicted

TEXT = "soup was cold , but the other soup was fine ."
FIRST, SECOND = Term("soup", Span(0, 4)), Term("soup", Span(30, 34))
QUADS = (Quad(FIRST, polarity=Polarity.NEGATIVE), Quad(SECOND, polarity=Polarity.POSITIVE))
GOLD = Corpus("gold", "en", None, [Example("1", TEXT, QUADS)])


def write(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


SETFIT = f'text,span,label,ordinal\n"{TEXT}",soup,negative,0\n"{TEXT}",soup,positive,1\n'


@pytest.mark.parametrize("reading", [read, read_predicted])
def test_table_of_setfit_places_the_occurrence_that_is_meant(reading: object, tmp_path: Path) -> None:
    path = write(tmp_path / "setfit.csv", SETFIT)
    assert reading(path).examples == GOLD.examples  # type: ignore[operator]
    assert evaluate(GOLD, read_predicted(path), "atsc").scores["accuracy"] == 1.0


def test_predictions_of_setfit_stand_beside_gold(tmp_path: Path) -> None:
    rows = f'text,span,label,ordinal,pred_polarity\n"{TEXT}",soup,negative,0,positive\n'
    path = write(tmp_path / "setfit.csv", rows)
    assert read(path).examples[0].quads[0].polarity is Polarity.NEGATIVE
    assert read_predicted(path).examples[0].quads[0].polarity is Polarity.POSITIVE


@pytest.mark.parametrize("as_list", [False, True])
def test_flat_rows_are_read_as_those_of_a_table(as_list: bool, tmp_path: Path) -> None:
    rows = [
        {"text": TEXT, "span": "soup", "label": "negative", "ordinal": 0},
        {"text": TEXT, "span": "soup", "label": "positive", "ordinal": 1},
    ]
    content = json.dumps(rows, indent=1) if as_list else "\n".join(map(json.dumps, rows))
    corpus = read(write(tmp_path / "rows.jsonl", content))
    assert (corpus.provenance.format, corpus.examples) == ("json-rows", GOLD.examples)


def test_flat_rows_with_offsets_and_categories(tmp_path: Path) -> None:
    row = {
        "sentence": "Fine tea.",
        "term": "tea",
        "from": 5,
        "to": 8,
        "category": "drinks",
        "sentiment": "pos",
    }
    (example,) = read(write(tmp_path / "rows.jsonl", json.dumps(row)))
    assert example.quads == (Quad(Term("tea", Span(5, 8)), "drinks", None, Polarity.POSITIVE),)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('{"text": "Fine.", "label": "good"}', "line 1: found the polarity 'good'"),
        ('{"text": "Fine.", "label": "pos"}\n["Fine."]', "line 2: .*expected an object"),
        ('{"text": "Fine.", "label": "pos"}\n{"text": ["Fine."]}', "line 2: .*expected a string or a number"),
        ('{"text": "Fine.", "label": "pos"}\n{', "line 2: .*expected valid JSON"),
    ],
)
def test_broken_rows_are_named(row: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        read(write(tmp_path / "rows.jsonl", row))


def test_results_of_aspect_extraction_are_placed_by_their_tokens(tmp_path: Path) -> None:
    result = {
        "sentence": TEXT,
        "IOB": ["B-ASP"],
        "tokens": TEXT.split(),
        "aspect": ["soup", "soup"],
        "position": [[0], [7]],
        "sentiment": ["Negative", "Positive"],
        "probs": [[0.9], [0.8]],
        "confidence": [0.9, 0.8],
    }
    corpus = read(write(tmp_path / "atepc.result.json", json.dumps([result])))
    assert (corpus.provenance.format, corpus.examples) == ("pyabsa", GOLD.examples)
    assert evaluate(GOLD, corpus, "e2e").scores["f1"] == 1.0


def test_results_of_aspect_polarity_are_a_string_of_python(tmp_path: Path) -> None:
    """PyABSA writes json.dump(str(results)), with numpy's arrays in it."""
    literal = (
        f"[{{'text': '{TEXT}', 'aspect': ['soup', 'soup'], 'sentiment': ['Negative', 'Positive'], "
        "'confidence': [0.9, 0.8], 'probs': [array([0.9, 0.05, 0.05], dtype=float32), array([0.1, 0.1, 0.8], "
        "dtype=float32)], 'ref_sentiment': ['-100', '-100'], 'ref_check': ['', ''], 'perplexity': 'N.A.'}]"
    )
    corpus = read(write(tmp_path / "apc.result.json", json.dumps(literal)))
    assert (corpus.provenance.format, corpus.examples) == ("pyabsa", GOLD.examples)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sentiment": ["Positive"]}, "2 aspects, 1 sentiments"),
        ({"position": [[0], [99]]}, r"the position \[99\]"),
        ({"position": [[0], "x"]}, "the position 'x'"),
        ({"aspect": ["soup", 3]}, "the aspect 3"),
        ({"sentiment": ["Positive", "Great"]}, "the polarity 'Great'"),
    ],
)
def test_broken_results_are_named(change: dict[str, object], message: str, tmp_path: Path) -> None:
    result = {
        "sentence": TEXT,
        "aspect": ["soup", "soup"],
        "sentiment": ["Negative", "Positive"],
        "position": [],
    }
    path = write(tmp_path / "broken.json", json.dumps([{**result, **change}]))
    with pytest.raises(DataError, match=f"result 1: found {message}"):
        read(path, "pyabsa")


def test_quads_with_the_opinion_before_the_polarity(tmp_path: Path) -> None:
    lines = [
        "The hinge is loose .####[['hinge', 'door quality', 'negative', 'loose']]",
        "The hinge is loose .####[('hinge', 'door quality', 'loose', 'negative')]",
    ]
    (one,), (other,) = (read(write(tmp_path / f"{n}.txt", line)) for n, line in enumerate(lines))
    assert one == other


def test_folder_of_datasets_is_read(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    GOLD.to_datasets().save_to_disk(tmp_path / "saved")
    assert read(tmp_path / "saved") == GOLD
    flat = datasets.Dataset.from_dict(
        {"text": [TEXT], "span": ["soup"], "label": ["positive"], "ordinal": [1]}
    )
    flat.save_to_disk(tmp_path / "flat")
    assert read(tmp_path / "flat").examples[0].quads == QUADS[1:]
    datasets.DatasetDict({"test": flat}).save_to_disk(tmp_path / "both")
    with pytest.raises(DataError, match=r"several splits.*name its folder: test"):
        read(tmp_path / "both")
    (tmp_path / "flat" / "state.json").write_text("{", encoding="utf-8")
    with pytest.raises(DataError, match=r"expected a folder of `Dataset.save_to_disk`"):
        read(tmp_path / "flat")
