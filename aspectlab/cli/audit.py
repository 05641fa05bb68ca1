"""`aspectlab audit`: judge a sample of an analysis, and learn how right its numbers are."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from aspectlab import analysis, readers, stats
from aspectlab.cli.console import notice, print_json, print_table, print_text, printable
from aspectlab.errors import ConfigError

_FEWEST = 30
"""Judged sentences below which an audit says little."""


def audit(
    folder: Annotated[Path, typer.Argument(help="The folder of a finished analysis.")],
    reviews: Annotated[list[Path] | None, typer.Argument(help="The analysed files, to draw from.")] = None,
    size: Annotated[int, typer.Option(min=4, help="Sentences to draw; 50 to 200 are useful.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the draw.")] = 0,
    redraw: Annotated[bool, typer.Option("--redraw", help="Replace an earlier draw and its sheet.")] = False,
    sheet: Annotated[Path | None, typer.Option(help="The judged sheet (default: FOLDER/audit.csv).")] = None,
    export: Annotated[Path | None, typer.Option(help="Write the judged sentences as training data.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (as fractions).")] = False,
) -> None:
    """Judge a sample of an analysis by hand, so that its shares hold the errors of the model too.

    The first call, with the reviews, draws sentences into a sheet, FOLDER/audit.csv. For each opinion write
    `right`, `wrong` or `changed` into the column verdict, and what is right beside it; in the last row of a
    sentence `none` or `missed`. The second call, without the reviews, reads the sheet: precision and recall
    on your own data, and each share with a 95 % confidence interval that covers sampling and model error.

    Example: `aspectlab audit hotel-analysis hotel.csv`, then `aspectlab audit hotel-analysis`
    """
    target = sheet or folder / analysis.SHEET
    if reviews:
        if (folder / analysis.AUDIT).exists() and not redraw:
            raise ConfigError(
                f"{folder / analysis.AUDIT}: an audit was drawn already: expected no reviews, to read its "
                "sheet; or add --redraw to draw another and lose its verdicts"
            )
        draw = analysis.draw_audit(reviews, folder, size=size, seed=seed)
        analysis.save_draw(draw, folder)
        notice(f"{len(draw.sentences)} of {sum(draw.sizes):,} sentences drawn; fill the column verdict of")
        print_text(folder / analysis.SHEET)
        return
    if not (folder / analysis.AUDIT).exists():
        raise ConfigError(f"{folder}: no audit was drawn yet: name the reviews that were analysed as well")
    draw = analysis.load_draw(folder)
    judged = analysis.read_sheet(draw, target)
    result = analysis.score_audit(draw, judged)
    if len(judged) < _FEWEST:
        notice(f"only {len(judged)} sentences are judged: the intervals are wide")
    if export:
        readers.write(analysis.as_corpus(judged, folder.name), export)
    if as_json:
        print_json({"drawn": len(draw.sentences), **asdict(result)})
    else:
        _print(result, len(draw.sentences))


def _print(result: analysis.AuditResult, drawn: int) -> None:
    quality = {
        "opinions found that are right in every part": result.precision,
        "… with the right polarity, of those that are opinions": result.polarity,
        "… in the right category, of those that are opinions": result.category,
        "opinions there are that were found": result.recall,
    }
    print_table(
        f"{result.judged} of {drawn} sentences judged; percent with 95 % confidence interval",
        ["how right the analysis is", "share"],
        [(name, _format(share)) for name, share in quality.items()],
    )
    rows = [("all", result.overall), *((each.name, each) for each in result.categories)]
    print_table(
        "Shares, corrected by the audit",
        ["category", "positive, as counted", "positive, corrected", "of all opinions, corrected"],
        [
            (
                printable(name),
                "–" if each.counted is None else f"{100 * each.counted:.0f}",
                _format(each.positive),
                _format(each.mentions) if each is not result.overall else "",
            )
            for name, each in rows
        ],
    )


def _format(share: stats.CorrectedShare) -> str:
    return f"{100 * share.value:.0f} ({100 * share.low:.0f}–{100 * share.high:.0f})"
