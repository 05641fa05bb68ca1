"""Tables of opinions that an analysis wrote, read as a corpus."""

import csv
from pathlib import Path

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.readers import COLUMNS, NOT_ANALYSED, Opinion, read

SECOND = "The soup was hot."
# the review is "=Nice. The soup was hot.": its second sentence begins at 7
ROWS = [
    Opinion("r1", "", "", "", 0, 0, "", None, None, "Nice", 1, 5, "positive", 0.9, "not named", "=Nice."),
    Opinion("r1", "", "", "", 1, 7, "soup", 11, 15, "hot", 20, 23, "positive", 0.9, "food", SECOND),
    Opinion("r1", "", "", "", 1, 7, "soup", 11, 15, "", None, None, "negative", 0.6, "food", SECOND, "F#Q"),
    Opinion("r2", "", "", "", 0, 0, "", None, None, "", None, None, "", None, NOT_ANALYSED, "Sehr gut."),
]


def write(path: Path, rows: list[Opinion]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(COLUMNS)
        for row in rows:
            table.writerow([f"'{cell}" if str(cell).startswith("=") else cell for cell in row.cells])
    return path


def test_opinions_are_read_sentence_by_sentence_without_notes(tmp_path: Path) -> None:
    corpus = read(write(tmp_path / "opinions.csv", ROWS))
    soup = Term("soup", Span(4, 8))
    assert corpus.examples == (
        Example("r1-0", "=Nice.", (Quad(None, None, Term("Nice", Span(1, 5)), Polarity.POSITIVE),)),
        Example(
            "r1-1",
            SECOND,
            (
                Quad(soup, "food", Term("hot", Span(13, 16)), Polarity.POSITIVE),
                Quad(soup, "F#Q", None, Polarity.NEGATIVE),
            ),
        ),
    )
    assert corpus.provenance.notes == ()


def test_opinions_whose_offsets_do_not_fit_keep_their_words(tmp_path: Path) -> None:
    row = ROWS[1]._replace(aspect_start=0, aspect_end=4)
    (example,) = read(write(tmp_path / "opinions.csv", [row])).examples
    assert example.quads[0].aspect is not None
    assert example.quads[0].aspect.text == "soup"
