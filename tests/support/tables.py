"""Hand-made files, random corpora and mutants for the tests of the table and JSON readers."""

import zipfile
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import strategies as st

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.readers import read, write

Edits = list[tuple[float, int, bytes]]
"""Where, as a share of the length of the file, how many bytes go, and what stands there instead."""


def corpus_of(examples: Iterable[Example]) -> Corpus:
    return Corpus("made", "en", frozenset(Part), tuple(examples))


def written(corpus: Corpus, folder: Path, format: str) -> tuple[Example, ...]:
    """What is read again after a corpus was written."""
    path = folder / "again.bin"
    write(corpus, path, format)
    return read(path, format).examples


def refusal(path: Path, format: str | None = None, **options: str) -> str:
    """The message with which a file is refused."""
    with pytest.raises(DataError) as caught:
        read(path, format, **options)
    return str(caught.value)


# what breaks tables: delimiters, quotes, line ends, NUL, byte-order marks, blanks, formula signs
_CHARACTERS = st.sampled_from('",;\t\r\n\0\ufeff =+-@\u2028é😀ab"') | st.characters(exclude_categories=["Cs"])
TEXTS = st.text(_CHARACTERS, max_size=20)
NAMES = st.none() | TEXTS


@st.composite
def terms(draw: st.DrawFn, text: str) -> Term | None:
    """A term that stands in the text, one that need not, or none."""
    if not text or draw(st.integers(0, 3)) == 0:
        return draw(st.none() | st.builds(Term, TEXTS | st.just(text[:3])))
    start = draw(st.integers(0, len(text) - 1))
    end = draw(st.integers(start + 1, len(text)))
    return Term(text[start:end], Span(start, end))


@st.composite
def examples(draw: st.DrawFn) -> Example:
    text = draw(TEXTS)
    quads = st.builds(
        Quad,
        aspect=terms(text),
        category=NAMES,
        opinion=terms(text),
        polarity=st.none() | st.sampled_from(Polarity),
    )
    return Example(draw(TEXTS), text, tuple(draw(st.lists(quads, max_size=3))), draw(NAMES), draw(NAMES))


def corpora(drawn: st.SearchStrategy[Example]) -> st.SearchStrategy[Corpus]:
    return st.lists(drawn, max_size=5, unique_by=lambda example: example.id).map(corpus_of)


# splices that broken or hostile files contain
_PIECES = (
    *(b"", b"\0", b'"', b"'", b";", b",", b"\t", b"\r", b"\n", b"\xff", b"\xef\xbb\xbf", b"{", b"]", b"[["),
    *(b"-1", b"9" * 30, b"1e999", b"null", b"true", b"NaN", b"<!DOCTYPE a>", b"<row>", b"</c>", b"_x0041_"),
)
EDITS = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),
        st.integers(0, 30),
        st.sampled_from(_PIECES) | st.binary(max_size=4),
    ),
    min_size=1,
    max_size=4,
)


def mutate(content: bytes, edits: Edits) -> bytes:
    """Replace some bytes of a file, each edit at a share of its length."""
    for share, length, piece in edits:
        start = int(share * len(content))
        content = content[:start] + piece + content[start + length :]
    return content


def survives(path: Path, format: str | None) -> bool:
    """Whether a file gives a corpus or a DataError; anything else is raised."""
    try:
        corpus = read(path, format)
    except DataError:
        return True
    return len(corpus) >= 0


_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = (
    f'<Relationships><Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    "</Relationships>"
)
WORKBOOK = (
    f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets><sheet name="a" r:id="rId1"/></sheets></workbook>'
)
RELATIONS = (
    f'<Relationships><Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_OFFICE}/sharedStrings" Target="/xl/sharedStrings.xml"/></Relationships>'
)


def workbook(rows: str, strings: str = "", method: int = zipfile.ZIP_DEFLATED, **parts: str) -> bytes:
    """A minimal XLSX file with these rows and shared strings, or with other parts."""
    content = {
        "_rels/.rels": PACKAGE,
        "xl/workbook.xml": parts.get("workbook", WORKBOOK),
        "xl/_rels/workbook.xml.rels": parts.get("relations", RELATIONS),
        "xl/worksheets/sheet1.xml": parts.get(
            "sheet", f"<worksheet><sheetData>{rows}</sheetData></worksheet>"
        ),
        "xl/sharedStrings.xml": f"<sst>{strings}</sst>",
    }
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    return packed.getvalue()


def inline(*cells: str) -> str:
    """A row of text cells that need no table of strings."""
    return "<row>" + "".join(f'<c t="inlineStr"><is><t>{cell}</t></is></c>' for cell in cells) + "</row>"
