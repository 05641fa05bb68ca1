"""Where a knowledge graph comes from: annotated corpora, or the opinions that an analysis found."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aspectlab.data import Corpus, Example, Part, Polarity
from aspectlab.errors import ConfigError, DataError
from aspectlab.graph.model import IMPLICIT, Statement
from aspectlab.readers import NAMES, NOT_ANALYSED, OPINIONS_PARQUET, REST, Source, is_opinion_table, read
from aspectlab.readers.tables import (
    POLARITIES,
    Cells,
    CsvTable,
    LenientTable,
    ReadCounts,
    choose_column,
    is_parquet,
    open_lenient_table,
    unescape_formula,
)

VIDEO = r"(\d+)-\d+"
"""In MuSe-CarASTE, whose ids are video and segment, the video is the entity: one car review each."""

_GROUP = "group"
_SHOWN = 3


@dataclass(eq=False, slots=True)
class GatheredStatements:
    """All statements of the files, and what was left out of them."""

    statements: list[Statement] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    is_table: bool = False
    left_out: Counter[str] = field(default_factory=Counter)
    notices: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The names of the corpora and tables."""
        return " + ".join(dict.fromkeys(self.titles))

    def add(self, entity: str, topic: str, aspect: str, opinion: str, polarity: Polarity | None) -> None:
        """Take one row; what says nothing, or two things at once, is counted and left out."""
        if polarity is None or not (topic or aspect or opinion):
            self.left_out["empty rows"] += 1
        elif polarity is Polarity.CONFLICT:
            self.left_out["opinions with the label conflict"] += 1
        else:
            self.statements.append(Statement(entity, topic, aspect, opinion, polarity))


def gather_statements(
    paths: Sequence[Path], *, pattern: str | None = None, column: str | None = None
) -> GatheredStatements:
    """Read corpora and tables of opinions.

    The entity of an example is the first group of `pattern` in its id, or all that it finds; of a row of a
    table, what stands in `column`. Where neither is known, there is one entity: the whole.
    """
    gathered, has_ids = GatheredStatements(), False
    for path in paths:
        title, file = _find_file(path)
        table = _open_opinions(file, column)
        if table is not None:
            gathered.is_table = True
            _take_table(gathered, title, table, column)
        else:
            _take_corpus(gathered, read(file), pattern)
            has_ids = True
    if pattern is not None and not has_ids:
        raise ConfigError(
            f"--entity-pattern {pattern!r}: {paths[0]}: found a table of opinions, whose entity is a column: "
            "expected a data set with ids; name the column with --entity-column"
        )
    gathered.notices += [f"{what} left out: {count:,}" for what, count in gathered.left_out.items()]
    return gathered


def _find_file(path: Path) -> tuple[str, Path]:
    """Name a file; the folder of an analysis stands for the opinions in it."""
    if not path.is_dir():
        return path.stem, path
    if not (path / OPINIONS_PARQUET).exists():
        remedy = "name a file, or a folder that `aspectlab analyze` wrote"
        raise DataError(f"{path}: found no {OPINIONS_PARQUET} in this folder: expected one; {remedy}")
    return path.resolve().name.removesuffix("-analysis"), path / OPINIONS_PARQUET


def _open_opinions(path: Path, column: str | None) -> LenientTable | None:
    """Open a table of opinions; None for all other files, unless a column is asked of them."""
    head = Source(path).head
    is_plain = head.name.lower().endswith((".csv", ".tsv", ".xlsx")) or is_parquet(head)
    if not is_plain and column is None:
        return None
    table, _ = open_lenient_table(path)
    return table if column is not None or is_opinion_table(table.header) else None


def _take_table(gathered: GatheredStatements, title: str, table: LenientTable, column: str | None) -> None:
    names = {
        "entity": (_GROUP,),
        **{role: NAMES[role] for role in ("category", "aspect", "opinion", "polarity")},
    }
    found = {
        role: choose_column(
            table.header, names[role], "--entity-column", column if role == "entity" else None
        )
        for role in names
    }
    wanted = {role: column for role, column in found.items() if column is not None}
    if "polarity" not in wanted or not {"aspect", "category"} & wanted.keys():
        shown = f"the columns {', '.join(table.header):.200}"
        expected = f"an aspect or a category, and one of {', '.join(NAMES['polarity'])}"
        raise DataError(f"{table.path}: header: found {shown}: expected {expected}; name the columns so")
    gathered.titles.append(title)
    tally = ReadCounts()
    # opinions.csv marks cells that a spreadsheet could take for formulas; opinions.parquet has them verbatim
    is_analysis = is_opinion_table(table.header)
    is_marked = isinstance(table, CsvTable) and is_analysis
    named: Counter[bool] = Counter()
    for cells in table.rows(wanted, tally):
        plain = {role: unescape_formula(cell) for role, cell in cells.items()} if is_marked else cells
        named[bool(plain.get("entity", "").strip())] += 1
        if is_analysis and plain.get("category") == NOT_ANALYSED:
            continue
        if is_analysis:
            plain = _fill_aspect(plain)
        _take_row(gathered, title, plain)
    gathered.notices += tally.notices()
    if len(named) > 1:  # where no row has an entity, the whole is one, and nothing has to be said
        gathered.notices.append(f"{named[False]:,} row(s) without an entity are taken as {title!r:.60}")


def _fill_aspect(cells: Cells) -> Cells:
    """Write the category, in parentheses, for an aspect that an analysis found not named."""
    category = cells.get("category", "")
    if cells.get("aspect") or not category or category in REST:
        return cells
    return {**cells, "aspect": f"({category})"}


def _take_row(gathered: GatheredStatements, title: str, cells: Cells) -> None:
    word = cells["polarity"].strip().lower().removesuffix(".0")
    entity, topic, aspect, opinion = (
        cells.get(role, "").strip() for role in ("entity", "category", "aspect", "opinion")
    )
    if word and word not in POLARITIES:
        gathered.left_out[f"rows with a polarity that is none of {', '.join(POLARITIES)}"] += 1
    else:
        gathered.add(entity or title, topic, aspect, opinion, POLARITIES.get(word))


def _take_corpus(gathered: GatheredStatements, corpus: Corpus, pattern: str | None) -> None:
    chosen = VIDEO if pattern is None and corpus.provenance.format == "muse" else pattern
    gathered.titles.append(corpus.name)
    # a part that nobody was asked for is not implicit, but the graph has no other word for it
    unasked = [f"no {part}" for part in (Part.ASPECT, Part.OPINION) if part not in corpus.annotates]
    if unasked:
        gathered.notices.append(f"{corpus.name} labels {' and '.join(unasked)}: shown as {IMPLICIT}")
    missed: list[str] = []
    for example, entity in _name_entities(corpus, chosen):
        if entity is None:
            missed.append(example.id)
            continue
        for quad in example.quads:
            aspect, opinion = (term.text if term else "" for term in (quad.aspect, quad.opinion))
            gathered.add(entity, quad.category or "", aspect, opinion, quad.polarity)
    if missed and len(missed) == len(corpus):
        shown = ", ".join(map(repr, missed[:_SHOWN]))
        raise ConfigError(f"--entity-pattern {chosen!r}: found in no id, such as {shown}: expected a match")
    if missed:
        gathered.left_out[f"examples whose id does not match {chosen!r}, such as {missed[0]!r},"] += len(
            missed
        )


def _name_entities(corpus: Corpus, pattern: str | None) -> Iterator[tuple[Example, str | None]]:
    """Return each example with its entity; None where the pattern finds none."""
    try:
        rule = re.compile(pattern) if pattern is not None else None
    except re.error as error:
        expected = r"a regular expression, such as '(\w+)-'"
        raise ConfigError(f"--entity-pattern {pattern!r}: {error}: expected {expected}") from None
    for example in corpus:
        if rule is None:
            yield example, corpus.name
        else:
            match = rule.search(example.id)
            yield example, (match and (match.group(1) if rule.groups else match.group())) or None
