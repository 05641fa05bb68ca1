"""`aspectlab audit`: judge a sample of an analysis, and learn how right it is; `adapt`: learn from that."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from aspectlab import analysis, readers, stats
from aspectlab.cli.console import bar, notice, print_json, print_table, print_text, printable
from aspectlab.data import Example
from aspectlab.errors import ConfigError
from aspectlab.outputs import refuse_unwritable
from aspectlab.progress import Progress

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

    The first call, with the reviews, draws sentences into a page, FOLDER/audit.html, and the same sheet as
    FOLDER/audit.csv. For each opinion say `right`, `wrong` or `changed`, and what is right; for each sentence
    whether an opinion was missed. The second call, without the reviews, reads the sheet: precision and recall
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
        notice(
            f"{len(draw.sentences)} of {sum(draw.sizes):,} sentences drawn; judge them in a browser or a "
            "spreadsheet, then run: aspectlab audit FOLDER"
        )
        print_text(folder / analysis.SHEET_PAGE)
        print_text(folder / analysis.SHEET)
        return
    if not (folder / analysis.AUDIT).exists():
        raise ConfigError(f"{folder}: no audit was drawn yet: name the reviews that were analysed as well")
    draw = analysis.load_draw(folder)
    judged = analysis.read_sheet(draw, target)
    result = analysis.score_audit(draw, judged)
    analysis.save_judged(judged, result, folder)
    notice("analyze the same reviews again: what you judged goes into the tables and the report")
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
        "Shares of positive opinions, corrected by the audit",
        ["category", "opinions", "positive, as counted", "positive, corrected"],
        [
            (
                printable(name),
                each.opinions,
                "–" if each.counted is None else f"{100 * each.counted:.0f}",
                _format(each.positive),
            )
            for name, each in rows
        ],
    )


def _format(share: stats.CorrectedShare) -> str:
    return f"{100 * share.value:.0f} ({100 * share.low:.0f}–{100 * share.high:.0f})"


def adapt(
    judged: Annotated[
        list[Path], typer.Argument(help="Audited analyses, or labelled sentences in any format.")
    ],
    out: Annotated[Path, typer.Option(help="Output folder of the adapted model; must be new.")],
    model: Annotated[
        Path | None, typer.Option(help="Exported model (default: the one that comes along).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (as fractions).")] = False,
) -> None:
    """Adapt the model to how you judge: 30 to 200 sentences choose the annotation style that fits them best.

    Nothing is trained: the model reads the sentences in each of its styles, and the one that agrees best
    becomes that of `analyze`. What to expect on other sentences is estimated by cross-validation. The old
    model stays as it is; where no other style is better, no folder is written.

    Example: `aspectlab adapt hotel-analysis --out my-model`, then `analyze --model my-model`
    """
    if out.exists():
        raise ConfigError(f"--out {out}: exists already: expected a new folder; choose another")
    refuse_unwritable(out)
    examples = [example for path in judged for example in _read_judged(path)]
    with bar() as (advance, _):
        found = analysis.choose_style(
            examples,
            model,
            progress=lambda done, all_: advance(Progress(done / all_, f"style {done + 1} of {all_}", None)),
        )
    if found.helps:
        analysis.save_adapted(found, out, model)
    if as_json:
        print_json({**asdict(found), "saved": str(out) if found.helps else None})
    else:
        print_table(
            f"{found.sentences} judged sentences; F1 of exact opinions in percent",
            ["style", "F1"],
            [(each.style, f"{100 * each.f1:.1f}") for each in found.styles],
        )
        print_text(
            f"on sentences not used to choose: {100 * found.before:.1f} before, {100 * found.after:.1f} "
            f"after, a gain of {100 * found.gain:.1f} ({100 * found.low:.1f} to {100 * found.high:.1f})"
        )
    if found.helps:
        notice(
            f"{out}: reads in the style {found.style!r}; use it with: aspectlab analyze FILE --model {out}"
        )
    else:
        notice("no other style is expected to be better: no model was written; keep the one you have")


def _read_judged(path: Path) -> Iterable[Example]:
    """Read an audited analysis, or a labelled corpus."""
    if not (path / analysis.AUDIT).exists():
        return readers.read(path)
    sheet = analysis.read_sheet(analysis.load_draw(path), path / analysis.SHEET)
    return analysis.as_corpus(sheet, path.name)
