"""The sheet of an audit: a row for each opinion found, and one for what was missed in each sentence.

It is a CSV file, and a page that writes the same file for those who would rather click.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from aspectlab.data import Polarity
from aspectlab.errors import DataError
from aspectlab.outputs import atomic_write
from aspectlab.readers import Source, find_term
from aspectlab.readers.tables import escape_formula, open_strict_table, unescape_formula, write_csv
from aspectlab.registry import suggest
from aspectlab.reports import BASE_STYLE, embed_json, escape_html, load_assets, render_page, write_page
from aspectlab.untrusted import read_json

AUDIT, SHEET, SHEET_PAGE = "audit.json", "audit.csv", "audit.html"
"""What an audit keeps in the folder of an analysis: the sentences drawn, and the sheet to judge them in."""

_ASSETS = Path(__file__).with_name("assets")

NOT_NAMED_SIGN = "-"
"""Written in a cell of the sheet for a term that the sentence does not name."""

_FORMAT = 1
_POLARITIES = tuple(polarity.value for polarity in (Polarity.POSITIVE, Polarity.NEGATIVE, Polarity.NEUTRAL))
_COLUMNS = (
    *("number", "review", "text", "aspect", "opinion", "category", "polarity", "probability"),
    *("verdict", "right_aspect", "right_opinion", "right_category", "right_polarity"),
)
_JUDGED = _COLUMNS.index("verdict")
_MORE = "(anything missed?)"
_FOUND, _MISSED = ("right", "wrong", "changed"), ("none", "missed")


class AuditedOpinion(NamedTuple):
    """What a sentence says of an aspect, by the model or by the judge; "" stands for what is not named."""

    aspect: str
    opinion: str
    category: str
    polarity: str
    probability: float | None = None


class DrawnSentence(NamedTuple):
    """A sentence to be judged, with what the model found in it."""

    review: str
    sentence: int
    text: str
    found: tuple[AuditedOpinion, ...]

    @property
    def stratum(self) -> int:
        """0 where the model found nothing, 1 elsewhere."""
        return int(bool(self.found))


@dataclass(frozen=True, slots=True)
class Draw:
    """The sentences of an audit, and what is counted over all sentences of the analysis."""

    sentences: tuple[DrawnSentence, ...]
    sizes: tuple[int, int]  # sentences without and with opinions
    totals: Mapping[str, tuple[int, int]]  # by category, positive opinions and all


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a person found right in one sentence; `verdicts` are those of the model's opinions, in order."""

    drawn: DrawnSentence
    truth: tuple[AuditedOpinion, ...]
    verdicts: tuple[str, ...]
    kept: tuple[AuditedOpinion | None, ...]  # what stands for each of the model's opinions


def save_draw(draw: Draw, out: Path) -> None:
    """Write the draw, and the sheet to judge it in."""
    record = {"format": _FORMAT, **asdict(draw)}
    with atomic_write(out / AUDIT) as path:
        path.write_text(json.dumps(record, ensure_ascii=False), encoding="utf-8")
    with atomic_write(out / SHEET) as path:
        write_csv(path, _sheet_rows(draw), ",", quote=False)
    write_page(out / SHEET_PAGE, _render_sheet(draw, out.resolve().name))


def _render_sheet(draw: Draw, title: str) -> str:
    """Return the page in which the sheet is filled by clicking; it saves the same table."""
    rows = list(_sheet_rows(draw))
    record = {
        "key": blake2b(repr(rows).encode("utf-8", "replace"), digest_size=8).hexdigest(),
        "columns": rows[0],
        "categories": list(draw.totals),
        "polarities": _POLARITIES,
        "sentences": [
            {
                "text": drawn.text,
                "found": [opinion._asdict() for opinion in drawn.found],
                "rows": [row[:_JUDGED] for row in rows[1:] if row[0] == number],
            }
            for number, drawn in enumerate(draw.sentences, start=1)
        ],
    }
    body = (
        f"<main><h1>Judge {len(draw.sentences)} sentences of {escape_html(title)}</h1>\n"
        "<p>Say of each opinion whether it is right, and of each sentence whether one was missed. Then save "
        f"the sheet as <code>{SHEET}</code> into the folder of the analysis.</p>\n"
        '<div class="bar"><progress value="0" aria-label="judged"></progress><span id="told" role="status">'
        '</span><button type="button" id="save">Save the sheet (CSV)</button></div>\n'
        f'<div id="sentences"></div></main>\n{embed_json("audit", record)}'
    )
    style = load_assets(BASE_STYLE, _ASSETS / "audit.css")
    return render_page(f"Audit of {title}", body, style=style, script=load_assets(_ASSETS / "audit.js"))


def _sheet_rows(draw: Draw) -> Iterator[list[str | int]]:
    yield list(_COLUMNS)
    for number, drawn in enumerate(draw.sentences, start=1):
        for opinion in drawn.found:
            words = (opinion.aspect, opinion.opinion, opinion.category, opinion.polarity)
            sure = "" if opinion.probability is None else f"{opinion.probability:g}"
            yield _as_row(number, drawn, [*words, sure])
        yield _as_row(number, drawn, [_MORE, "", "", "", ""])


def _as_row(number: int, drawn: DrawnSentence, words: Sequence[str]) -> list[str | int]:
    cells = [drawn.review, drawn.text, *words, *[""] * 5]
    return [number, *(str(escape_formula(cell)) for cell in cells)]


def load_draw(out: Path) -> Draw:
    """Read the draw of an audit."""
    try:
        record = read_json(out / AUDIT)
        if not isinstance(record, dict) or record["format"] != _FORMAT:
            raise ValueError(record)
        sentences = tuple(
            DrawnSentence(str(review), int(number), str(text), tuple(AuditedOpinion(*each) for each in found))
            for review, number, text, found in record["sentences"]
        )
        empty, full = map(int, record["sizes"])
        totals = {str(name): (int(hits), int(every)) for name, (hits, every) in record["totals"].items()}
    except (OSError, ValueError, KeyError, TypeError):
        raise DataError(
            f"{out / AUDIT}: cannot be read: expected the draw of an audit; draw again with --redraw"
        ) from None
    return Draw(sentences, (empty, full), totals)


def read_sheet(draw: Draw, path: Path) -> list[Judgement]:
    """Read the sentences of a sheet that were judged to the end; mistakes are refused with their line."""
    source = Source(path)
    table = open_strict_table(source)
    if missing := [name for name in _COLUMNS if name not in table.header]:
        raise source.error(1, f"no column {missing[0]!r}", "those of the sheet", "keep its header as it was")
    indices = [table.header.index(name) for name in _COLUMNS]
    blocks: dict[int, list[tuple[int, dict[str, str]]]] = {}
    for line, cells in table.rows:
        row = {name: unescape_formula(cells[at]).strip() for name, at in zip(_COLUMNS, indices, strict=True)}
        number = int(row["number"]) if row["number"].isdecimal() else 0
        if not 1 <= number <= len(draw.sentences):
            expected = f"1 to {len(draw.sentences)}"
            raise source.error(line, f"number {row['number']!r:.20}", expected, "copy it from the row above")
        blocks.setdefault(number, []).append((line, row))
    judged = (
        _judge(source, draw.sentences[number - 1], rows, draw.totals)
        for number, rows in sorted(blocks.items())
    )
    return [each for each in judged if each is not None]


def _judge(
    source: Source,
    drawn: DrawnSentence,
    rows: Sequence[tuple[int, dict[str, str]]],
    names: Mapping[str, object],
) -> Judgement | None:
    """Return what a person said of one sentence; None while a row of it has no verdict."""
    first = len(drawn.found)
    if len(rows) <= first:
        raise source.error(rows[-1][0], f"{len(rows)} rows", f"{first + 1} or more", "put the rows back")
    truth: list[AuditedOpinion] = []
    verdicts, kept = [], []
    for index, (line, row) in enumerate(rows):
        found = drawn.found[index] if index < first else None
        allowed = _FOUND if found else _MISSED
        verdict = row["verdict"].lower() or _imply(row, found)
        if not verdict:
            return None
        if verdict not in allowed:
            raise source.error(line, f"verdict {verdict!r:.20}", " or ".join(allowed), "correct the cell")
        said = _correct(source, line, row, found, names) if verdict in ("changed", "missed") else found
        right = None if verdict in ("wrong", "none") else said
        if right:
            truth.append(right)
        if found:
            verdicts.append(verdict)
            kept.append(right)
    return Judgement(drawn, tuple(truth), tuple(verdicts), tuple(kept))


def _imply(row: Mapping[str, str], found: AuditedOpinion | None) -> str:
    """Return the verdict that filled cells imply."""
    if not any(row[name] for name in _COLUMNS if name.startswith("right_")):
        return ""
    return "changed" if found else "missed"


def _correct(
    source: Source,
    line: int,
    row: Mapping[str, str],
    found: AuditedOpinion | None,
    names: Mapping[str, object],
) -> AuditedOpinion:
    """Return what stands in the cells of the judge, and elsewhere what the model found."""
    before = found or AuditedOpinion("", "", "", "")
    parts = {}
    for name in ("aspect", "opinion", "category", "polarity"):
        written = row[f"right_{name}"]
        parts[name] = "" if written == NOT_NAMED_SIGN else written or str(getattr(before, name))
    if parts["polarity"] not in _POLARITIES:
        expected = ", ".join(_POLARITIES)
        raise source.error(line, f"right_polarity {parts['polarity']!r:.20}", expected, "fill the cell")
    if parts["category"] not in names:
        expected = f"a category of the analysis; {suggest(parts['category'], sorted(names))}"
        raise source.error(line, f"right_category {parts['category']!r:.40}", expected, "fill the cell")
    for name in ("aspect", "opinion"):
        is_new = row[f"right_{name}"] not in ("", NOT_NAMED_SIGN)
        if is_new and find_term(row["text"], parts[name]).span is None:
            expected = f"words of the sentence, or {NOT_NAMED_SIGN!r} for what it does not name"
            raise source.error(line, f"right_{name} {parts[name]!r:.40}", expected, "correct the cell")
    return AuditedOpinion(parts["aspect"], parts["opinion"], parts["category"], parts["polarity"])
