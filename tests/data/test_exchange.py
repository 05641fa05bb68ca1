"""A corpus as a sequence, and on its way to pandas and to Hugging Face's datasets and back."""

import sys

import pytest
from hypothesis import given, settings

from aspectlab.data import Corpus, Example, Intensity, Part, Polarity, Provenance, Quad, Span, Term
from aspectlab.errors import AspectlabError, ConfigError, DataError, MissingPartError
from aspectlab.readers import read
from tests.support.examples import corpora

SOUP = Quad(Term("soup", Span(5, 9)), "food", Term("Good", Span(0, 4)), Polarity.POSITIVE)


def made() -> Corpus:
    """A corpus with everything that a quad may have."""
    rich = Quad(
        Term("soup", Span(5, 9)),
        confidence={"positive": 0.75, "negative": 0.25},
        polarity=Polarity.POSITIVE,
        intensity=Intensity(7.0, 5.5),
    )
    examples = (
        Example("a", "Good soup", (SOUP, rich), style="memd"),
        Example("b", "Nothing."),
        Example("c", "NULL", (Quad(), Quad(Term("visibility"), "", None, Polarity.NEUTRAL)), "a", "revtgt"),
        Example("d", "Good soup", (Quad(Term("NULL")),)),
    )
    return Corpus("made", "it", frozenset(Part), examples, Provenance(version="2"))


def confidences(corpus: Corpus) -> list[object]:
    return [quad.confidence for example in corpus for quad in example.quads]


def test_corpus_is_a_sequence_with_a_short_repr() -> None:
    corpus = read("examples/sample.jsonl")
    assert len(repr(corpus)) < 120
    assert corpus[0] is corpus.examples[0]
    assert corpus[-1] is corpus.examples[-1]
    assert corpus[1:3].examples == corpus.examples[1:3]
    assert (corpus[1:3].name, corpus[1:3].annotates) == (corpus.name, corpus.annotates)
    assert [*reversed(corpus)] == [*reversed(corpus.examples)]
    long = corpus.filter(lambda example: len(example.text) > 60)
    assert {example.id for example in long} == {e.id for e in corpus.examples if len(e.text) > 60}
    assert 0 < len(long) < len(corpus)


def test_corpus_refuses_an_index_that_is_none() -> None:
    with pytest.raises(TypeError, match=r"found the index 'a': expected a number or a slice"):
        made()["a"]  # type: ignore[call-overload]


def test_constructors_take_what_python_writes_first() -> None:
    example = Example("1", "Good soup", [Quad(aspect=Term("soup", (5, 9)))])  # type: ignore[arg-type]
    assert example.quads == (Quad(aspect=Term("soup", Span(5, 9))),)
    assert example.quads[0].terms[0].span == Span(5, 9)
    corpus = Corpus(annotates={"aspect"}, examples=[example])
    assert corpus.annotates == {Part.ASPECT}
    assert all(isinstance(part, Part) for part in corpus.annotates)
    assert corpus == Corpus(examples=iter([example]))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Term("soup", (4,)), r"found the span \(4,\): expected the offsets"),
        (lambda: Term("soup", "48"), r"found the span '48'"),
        (lambda: Example("1", "Soup", (Term("Soup"),)), r"found Term.*expected a Quad"),
        (lambda: Example("1", "Soup", (Quad(aspect="Soup"),)), r"expected a Quad of terms"),
        (lambda: Example("1", 7), r"example '1': found the text 7: expected strings"),
        (
            lambda: Corpus(annotates={"aspects"}),
            r"annotates 'aspects': expected parts of a quad: aspect, cat",
        ),
        (lambda: Corpus(examples=["Good soup"]), r"found 'Good soup': expected examples"),
    ],
)
def test_constructors_refuse_at_once(make: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        make()  # type: ignore[operator]


def test_pandas_round_trip_keeps_everything() -> None:
    pytest.importorskip("pandas")
    corpus = made()
    frame = corpus.to_pandas()
    assert list(frame["id"]) == ["a", "a", "b", "c", "c", "d"]
    assert frame["aspect_start"].dtype == "Int64"
    again = Corpus.from_pandas(frame)
    assert again == corpus
    assert confidences(again) == confidences(corpus)
    assert again.provenance.version == "2"


def test_pandas_round_trip_survives_selection_of_rows() -> None:
    pandas = pytest.importorskip("pandas")
    frame = made().to_pandas()
    again = Corpus.from_pandas(frame[frame["id"] != "b"])
    assert again == made().filter(lambda example: example.id != "b")
    assert Corpus.from_pandas(pandas.concat([frame[:2], frame[2:]])) == made()


@given(corpora())
@settings(max_examples=40, deadline=None)
def test_any_corpus_comes_back(corpus: Corpus) -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("datasets")
    assert Corpus.from_pandas(corpus.to_pandas()) == corpus
    assert Corpus.from_datasets(corpus.to_datasets()) == corpus


def test_table_of_others_is_read_by_the_names_of_its_columns() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "comment": ["Good soup", "Good soup", None],
            "term": ["soup", float("nan"), None],
            "label": [1, -1, 0],
        }
    )
    corpus = Corpus.from_pandas(frame, text_column="comment", name="own", language="en")
    assert corpus[0].quads[0] == Quad(aspect=Term("soup", Span(5, 9)), polarity=Polarity.POSITIVE)
    assert (corpus.name, corpus.language) == ("own", "en")
    assert corpus.annotates == {Part.ASPECT, Part.POLARITY}


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"words": ["a"]}, {}, r"table: header: found the columns words: expected one of text"),
        ({"text": ["a"], "label": ["good"]}, {}, r"table: row 0: found the polarity 'good'"),
        ({"text": ["a", "b"], "id": ["1", "1"]}, {}, r"table: found the id '1' with several texts"),
        ({"text": ["a"]}, {"column": "b"}, r"option 'column' is unknown: expected one of text_column"),
    ],
)
def test_wrong_table_is_refused(columns: dict[str, list[str]], options: dict[str, str], message: str) -> None:
    pandas = pytest.importorskip("pandas")
    with pytest.raises(AspectlabError, match=message):
        Corpus.from_pandas(pandas.DataFrame(columns), **options)


def test_datasets_round_trip_keeps_everything() -> None:
    pytest.importorskip("datasets")
    corpus = made()
    dataset = corpus.to_datasets()
    assert dataset[0]["quads"][0]["aspect"] == {"text": "soup", "start": 5, "end": 9}
    again = Corpus.from_datasets(dataset)
    assert again == corpus
    assert confidences(again) == confidences(corpus)
    assert Corpus.from_datasets(dataset.select([0, 1])) == corpus[:2]


def test_flat_dataset_with_classes_is_read() -> None:
    datasets = pytest.importorskip("datasets")
    features = datasets.Features(
        {
            "text": datasets.Value("string"),
            "aspect": datasets.Value("string"),
            "label": datasets.ClassLabel(names=["negative", "positive"]),
        }
    )
    rows = {"text": ["Good soup", "Bad tea"], "aspect": ["soup", "tea"], "label": [1, 0]}
    corpus = Corpus.from_datasets(datasets.Dataset.from_dict(rows, features=features))
    assert [example.quads[0].polarity for example in corpus] == [Polarity.POSITIVE, Polarity.NEGATIVE]


def test_several_splits_are_refused() -> None:
    datasets = pytest.importorskip("datasets")
    with pytest.raises(ConfigError, match=r"found DatasetDict: .* choose one of several splits"):
        Corpus.from_datasets(datasets.DatasetDict({"train": made().to_datasets()}))


@pytest.mark.parametrize("package", ["pandas", "datasets"])
def test_missing_package_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPartError, match=rf"pip install {package}$"):
        getattr(made(), f"to_{package}")()
