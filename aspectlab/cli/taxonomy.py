"""`aspectlab taxonomy`: the categories that reviews are counted for: shown, proposed and checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from aspectlab import analysis, readers
from aspectlab.cli.console import notice, print_json, print_table, print_text, printable
from aspectlab.cli.options import refuse_unwritable_file
from aspectlab.errors import DataError
from aspectlab.outputs import atomic_write
from aspectlab.readers import tables
from aspectlab.untrusted import parse_count

app = typer.Typer(
    help="Categories of reviews: show the built-in ones, propose others, check a file of your own.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="Built-in taxonomy (general), or a file.")] = "general",
    as_table: Annotated[bool, typer.Option("--table", help="Print a table instead of the file.")] = False,
) -> None:
    """Print a taxonomy as a file to begin with.

    Example: `aspectlab taxonomy show general > taxonomy.toml`
    """
    if not as_table and name in analysis.TAXONOMIES:
        print_text(analysis.TAXONOMIES[name].read_text(encoding="utf-8"), end="")
        return
    taxonomy = analysis.load_taxonomy(name)
    if not as_table:
        print_text(Path(name).read_text(encoding="utf-8-sig"), end="")
        return
    rows = [
        (printable(rule.parent), printable(rule.name), printable(rule.description), len(rule.synonyms))
        for rule in sorted(
            taxonomy.categories, key=lambda rule: (rule.parent or rule.name, bool(rule.parent))
        )
    ]
    title = f"{printable(taxonomy.name)}: {len(rows)} categories"
    print_table(title, ["parent", "category", "what it is about", "words"], rows)


@app.command()
def suggest(
    source: Annotated[Path, typer.Argument(help="Folder of `aspectlab analyze`, or its table of opinions.")],
    taxonomy: Annotated[
        str, typer.Option(help="Categories that are there already: a file or general.")
    ] = "general",
    out: Annotated[Path | None, typer.Option(help="File to write (default: print it).")] = None,
) -> None:
    """Propose categories from what an analysis discovered, as a file that extends the built-in ones.

    Example: `aspectlab taxonomy suggest reviews-analysis --out taxonomy.toml`
    """
    refuse_unwritable_file(out, inputs=[source])
    known = analysis.load_taxonomy(taxonomy)
    named = ((opinion.category, opinion.aspect) for opinion in _read_opinions(source))
    proposed = analysis.propose_categories(named, known)
    text = analysis.format_proposal(proposed)
    if not proposed:
        notice(f"{source}: nothing frequent was discovered: the categories fit")
    if out is None:
        print_text(printable(text, keep="\n"), end="")
        return
    with atomic_write(out) as draft:
        draft.write_text(text, encoding="utf-8", newline="\n")
    notice(
        f"{out}: {len(proposed)} categories; merge or rename them, then: aspectlab analyze --taxonomy {out}"
    )


@app.command()
def check(
    file: Annotated[str, typer.Argument(help="Taxonomy file, or general.")],
    source: Annotated[
        Path | None, typer.Argument(help="Folder of `aspectlab analyze`: also find what is never used.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List mistakes, words that several categories claim, and categories that no opinion counts for.

    Exit code 2 if there is a mistake; all others are hints.

    Example: `aspectlab taxonomy check taxonomy.toml reviews-analysis`
    """
    taxonomy = analysis.load_taxonomy(file)
    overlaps = analysis.find_overlaps(taxonomy)
    used: Counter[str] = Counter()
    if source is not None:
        assigner = analysis.Assigner(taxonomy)
        used.update(map(assigner.name, _read_opinions(source)))
    unused = [rule.name for rule in taxonomy.categories if source is not None and not used[rule.name]]
    unfit = used[""]
    if as_json:
        print_json(
            {
                "categories": len(taxonomy.categories),
                "overlaps": [{"word": word, "categories": names} for word, names in overlaps],
                "unused": unused if source is not None else None,
                "opinions": used.total() if source is not None else None,
                "without_category": unfit if source is not None else None,
            }
        )
        return
    if overlaps:
        rows = [(printable(word), printable(", ".join(names))) for word, names in overlaps]
        print_table("Words of several categories: the first counts", ["word", "categories"], rows)
    if unused:
        print_text(f"never used: {printable(', '.join(unused))}")
    if source is not None:
        print_text(f"{unfit:,} of {used.total():,} opinions fit no category by their words")
    print_text(f"{printable(file)}: {len(taxonomy.categories)} categories, no mistakes")


def _read_opinions(source: Path) -> Iterator[readers.Opinion]:
    """Read the table of an analysis, as far as categories need it."""
    path = source / readers.OPINIONS_PARQUET if source.is_dir() else source
    remedy = "name a folder or table that `aspectlab analyze` wrote"
    if not path.exists():
        raise DataError(f"{path}: no such file: expected a table of opinions; {remedy}")
    table, _ = tables.open_lenient_table(path)
    if not readers.is_opinion_table(table.header):
        shown = f"the columns {', '.join(table.header):.100}"
        raise DataError(f"{path}: found {shown}: expected a table of opinions; {remedy}")
    empty = readers.Opinion("", "", "", "", 0, 0, "", None, None, "", None, None, "", None, "", "")
    columns = {name: index for index, name in enumerate(table.header) if name in readers.COLUMNS}
    for cells in table.rows(columns, tables.ReadCounts()):
        plain = {name: tables.unescape_formula(cell) for name, cell in cells.items()}
        yield empty._replace(
            aspect=plain.get("aspect", ""),
            opinion=plain.get("opinion", ""),
            category=plain.get("category", ""),
            text=plain.get("text", ""),
            predicted_category=plain.get("predicted_category", ""),
            sentence_start=parse_count(plain.get("sentence_start", "")) or 0,
            opinion_start=parse_count(plain.get("opinion_start", "")),
            opinion_end=parse_count(plain.get("opinion_end", "")),
        )
