"""What every format must do; a new line of the table is tested before its author writes a test."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from aspectlab.data import Corpus, Intensity, Quad
from aspectlab.errors import DataError
from aspectlab.readers import READERS, Format, Source, find_losses, read, sniff, write
from aspectlab.readers.source import MAX_LINE_BYTES
from tests.support.formats import TEXTS, write_imitation

TEXT_FORMATS = list(TEXTS)
WRITABLE = [name for name, kind in READERS.items() if kind.write is not None]


@pytest.fixture(params=list(READERS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def path(name: str, tmp_path: Path) -> Path:
    return write_imitation(name, tmp_path)


def test_format_is_recognised_by_content(name: str, path: Path) -> None:
    assert sniff(Source(path)) == name


@pytest.mark.parametrize("name", TEXT_FORMATS, indirect=True)
def test_format_is_recognised_behind_a_byte_order_mark(name: str, path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read(path).provenance.format == name


def test_spans_slice_to_their_terms(path: Path) -> None:
    corpus = read(path)
    assert len(corpus) > 0
    for example in corpus:
        for term in (term for quad in example.quads for term in quad.terms if term.span):
            assert example.text[slice(*term.span)] == term.text


def test_corpus_survives_the_canonical_form(path: Path, tmp_path: Path) -> None:
    corpus = read(path)
    write(corpus, tmp_path / "copy.jsonl", "jsonl")
    assert read(tmp_path / "copy.jsonl") == corpus


@pytest.mark.parametrize("name", WRITABLE, indirect=True)
def test_writer_gives_back_what_it_was_given(name: str, path: Path, tmp_path: Path) -> None:
    corpus = read(path)
    write(corpus, tmp_path / "copy", name)
    assert read(tmp_path / "copy", name, name=corpus.name).examples == _same_ids(
        corpus, read(tmp_path / "copy")
    )


@pytest.mark.parametrize("name", [name for name in WRITABLE if name != "dimabsa"], indirect=True)
def test_writer_does_not_refuse_valence_and_arousal(name: str, path: Path, tmp_path: Path) -> None:
    # a writer that compares quads with what would be read again took them for other quads
    corpus = read(path)
    intense = corpus.with_examples(
        replace(example, quads=tuple(with_intensity(quad) for quad in example.quads)) for example in corpus
    )
    write(corpus, tmp_path / "plain", name)
    write(intense, tmp_path / "intense", name)
    copies = [read(tmp_path / copy, name, name="copy") for copy in ("plain", "intense")]
    without_ids = [[(example.text, example.quads) for example in copy] for copy in copies]
    lost = "valence and arousal" in find_losses(intense, name)
    assert (without_ids[0] == without_ids[1]) == lost


def with_intensity(quad: Quad) -> Quad:
    return replace(quad, intensity=Intensity(8.0, 6.5))


def _same_ids(corpus: Corpus, copy: Corpus) -> tuple[object, ...]:
    """Formats without ids number their lines after the file: compare all but the ids."""
    assert [(e.text, e.quads) for e in copy] == [(e.text, e.quads) for e in corpus]
    return copy.examples


@pytest.mark.parametrize("name", TEXT_FORMATS, indirect=True)
def test_carriage_returns_change_nothing(name: str, path: Path) -> None:
    plain = read(path)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert read(path).examples == plain.examples


@pytest.mark.parametrize("name", TEXT_FORMATS, indirect=True)
def test_wrong_byte_is_named(name: str, path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:-4] + b"\xff" + content[-4:])
    with pytest.raises(DataError, match=str(path)):
        read(path, name)


def test_missing_file_is_named(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere.*cannot be read"):
        read(tmp_path / "nowhere", name)


def test_folder_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read(tmp_path, name)


@pytest.mark.parametrize("text_format", [n for n in TEXTS if n not in ("arts", "arts-sentences")])
def test_endless_line_is_refused(text_format: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a" * (MAX_LINE_BYTES + 10))
    with pytest.raises(DataError, match=str(path)):
        read(path, text_format)


def test_empty_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="found nothing"):
        read(tmp_path / "file")


def test_unknown_content_is_refused_with_the_list_of_formats(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("once upon a time", encoding="utf-8")
    with pytest.raises(DataError, match="aspectlab data formats"):
        read(tmp_path / "file")


def test_repeated_id_is_named(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text(TEXTS["jsonl"] * 2, encoding="utf-8")
    with pytest.raises(DataError, match="example '1': found this id twice"):
        read(path)


@pytest.fixture
def toy_format(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One file and one line: the way CONTRIBUTING describes."""
    (tmp_path / "toy_reader.py").write_text(
        "from aspectlab.data import Example\n"
        "from aspectlab.readers import Format\n"
        "def sniff(head):\n"
        "    return head.lines[:1] == ('TOY',)\n"
        "def read(source, *, upper: bool = False):\n"
        "    for number, line in source.lines():\n"
        "        if number > 1:\n"
        "            yield Example(str(number), line.upper() if upper else line)\n"
        "FORMAT = Format('a toy', sniff, read)\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(READERS, "_targets", dict(READERS._targets))
    READERS.add("toy", "toy_reader:FORMAT")
    yield
    sys.modules.pop("toy_reader", None)


@pytest.mark.usefixtures("toy_format")
def test_new_format_needs_one_file_and_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("TOY\nnice", encoding="utf-8")
    assert isinstance(READERS["toy"], Format)
    assert read(tmp_path / "file").provenance.format == "toy"
    assert read(tmp_path / "file", upper=True).examples[0].text == "NICE"
