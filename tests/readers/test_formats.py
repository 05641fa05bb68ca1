"""Losses: what is written can be read again, but for what is said to be lost; all else is refused."""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from aspectlab.data import Corpus, Example, Part, Quad
from aspectlab.errors import ConfigError, DataError
from aspectlab.readers import READERS, read, write
from aspectlab.readers.formats import Loss, find_losses
from tests.support.tables import corpora, examples

# Parquet is slow to write, and has a test of its own
WRITABLE = [name for name, kind in READERS.items() if kind.write is not None and name != "parquet"]


@pytest.mark.parametrize(
    ("format", "losses"),
    [
        # ids and texts have a place in ABSITA's table, origins of variants have none
        ("absita", ["sources of variants"]),
        ("aste", ["ids", "sources of variants"]),
        ("table", ["name and language of the corpus"]),
    ],
)
@pytest.mark.parametrize(("source", "variant"), [("1", None), (None, "revtgt"), ("1", "revtgt")])
def test_origin_that_is_not_kept_is_said(
    format: str, losses: list[str], source: str | None, variant: str | None
) -> None:
    corpus = Corpus("made", "en", frozenset(), (Example("2", "Good tea", (), source, variant),))
    assert list(find_losses(corpus, format)) == losses


def keep(example: Example, format: str, losses: Collection[Loss]) -> tuple[object, ...]:
    """What must come back of an example: the order of quads need not."""
    # ARTS makes the id of a variant from that of its source
    is_made = format == "arts" and example.source is not None
    return (
        None if Loss.IDS in losses or is_made else example.id,
        example.text,
        Counter(
            (q.aspect, Loss.CATEGORIES in losses or q.category, q.opinion, q.polarity) for q in example.quads
        ),
        Loss.ORIGINS in losses or (example.source, example.variant),
    )


def test_absita_writer_refuses_an_id_that_could_not_be_read_again(tmp_path: Path) -> None:
    corpus = Corpus("made", "it", frozenset(), (Example(" ", "Bel letto"),))
    with pytest.raises(DataError, match="example ' ': found a blank id"):
        write(corpus, tmp_path / "made.csv", "absita")


def test_label_studio_keeps_an_empty_category(tmp_path: Path) -> None:
    # it was taken for no topic, and the quad for none
    examples = Example("1", "Good tea", (Quad(category=""),)), Example("2", "Tea", (Quad(category="tea"),))
    corpus = Corpus("made", "en", frozenset({Part.CATEGORY}), examples)
    write(corpus, tmp_path / "made.json", "label-studio")
    assert read(tmp_path / "made.json").examples == examples


@st.composite
def shaped(draw: st.DrawFn) -> Corpus:
    """A corpus that lacks some parts of its quads, or its origins: most formats hold some parts only."""
    corpus, parts = draw(corpora(examples())), draw(st.sets(st.sampled_from(Part)))
    has_origins = draw(st.booleans())
    trimmed = []
    for example in corpus:
        quads = (
            Quad(
                quad.aspect if Part.ASPECT in parts else None,
                quad.category if Part.CATEGORY in parts else None,
                quad.opinion if Part.OPINION in parts else None,
                quad.polarity if Part.POLARITY in parts else None,
            )
            for quad in example.quads
        )
        # Label Studio shows a label without words once, however often it stands there
        bare = Example(example.id, example.text, tuple(dict.fromkeys(quads)))
        trimmed.append(replace(bare, source=example.source, variant=example.variant) if has_origins else bare)
    return corpus.with_examples(trimmed)


@pytest.mark.parametrize("format", WRITABLE)
@settings(max_examples=25, deadline=None)
@given(corpus=shaped())
def test_what_is_not_said_to_be_lost_is_read_again(
    format: str, corpus: Corpus, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("made") / "again.bin"
    try:
        write(corpus, path, format)
    except DataError:
        return
    losses = find_losses(corpus, format)
    wanted = [keep(example, format, losses) for example in corpus]
    assert [keep(example, format, losses) for example in read(path, format)] == wanted


@pytest.mark.parametrize(
    ("name", "format"), [("a.csv", "table"), ("a.JSONL", "jsonl"), ("a.parquet", "parquet")]
)
def test_write_finds_the_format_by_the_suffix(tmp_path: Path, name: str, format: str) -> None:
    corpus = Corpus("a", "und", frozenset(), (Example("1", "Good tea"),))
    write(corpus, tmp_path / name)
    assert read(tmp_path / name).provenance.format == format
    assert read(tmp_path / name).examples == corpus.examples


def test_write_takes_csv_for_the_table_it_is(tmp_path: Path) -> None:
    write(Corpus(examples=[Example("1", "Good tea")]), tmp_path / "made.txt", "csv")
    assert (tmp_path / "made.txt").read_text().startswith("id,text,")


def test_write_refuses_a_suffix_that_says_nothing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"suffix '\.dat': expected one of \.jsonl.*; name the format"):
        write(Corpus(), tmp_path / "made.dat")
