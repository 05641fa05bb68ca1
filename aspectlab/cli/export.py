"""`aspectlab export`: make a trained model run without torch, and check that it is still the same model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from aspectlab import metrics, readers, training
from aspectlab.cli.console import notice, print_json, print_table
from aspectlab.cli.options import refuse_irreplaceable, require_training
from aspectlab.cli.predict import Folder
from aspectlab.data import Example
from aspectlab.errors import DataError


def export(
    model: Folder,
    out: Annotated[Path, typer.Option(help="Output folder of the exported model.")],
    precision: Annotated[
        str, typer.Option(help="Numeric precision: bf16 (fast), fp16 (small) or fp32 (exact).")
    ] = "bf16",
    compare: Annotated[
        Path | None, typer.Option(help="Corpus for the comparison (default: built-in sentences).")
    ] = None,
    notice_file: Annotated[
        Path | None, typer.Option("--notice", help="Notice file required by the encoder's licence.")
    ] = None,
    style: Annotated[
        str | None, typer.Option(help="Annotation style of the texts to analyse (default: none known).")
    ] = None,
    calibrate: Annotated[
        list[str] | None,
        typer.Option(
            help="Labelled corpus to calibrate on, best of domains new to the model; or GOLD=PREDICTIONS of "
            "a model of the same recipe that was trained without it (repeatable)."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Export a model of kind quad-span or stage: `aspectlab analyze` and `serve` run it without torch.

    The model and its export predict the same texts, and the share of equal predictions is printed. Exits
    with 1 below 95 percent.

    With --calibrate the probability of an opinion is the chance that all of it is right; how well that
    holds is noted in config.json.

    Example: `aspectlab export my-model --out my-export`
    """
    require_training("export")
    refuse_irreplaceable(out)
    texts = [example.text for example in readers.read(compare)] if compare else training.SAMPLES
    labelled, judged = _read_calibration(calibrate or [])
    extras = training.Extras(style, labelled, judged, _read_notice(notice_file) if notice_file else None)
    folder = out.resolve()  # the folder that we stand in may be replaced
    parity = training.export_model(model, folder, texts=texts, precision=precision, extras=extras)
    size = sum(path.stat().st_size for path in folder.iterdir()) / 1e6
    _print(precision, size, parity, as_json=as_json)
    notice(f"{out}: exported; use it with: aspectlab analyze FILE --model {out}")
    if not parity.is_enough:
        notice(
            f"{out}: under 95 percent of the texts get the same opinions: train the model longer, since "
            "one that is unsure has many near ties, or use --precision fp32"
        )
        raise typer.Exit(1)


def _print(precision: str, megabytes: float, parity: training.Parity, *, as_json: bool) -> None:
    if as_json:
        print_json({"precision": precision, "megabytes": round(megabytes, 1), **asdict(parity)})
        return
    row = precision, f"{megabytes:.1f}", parity.texts, f"{100 * parity.equal:.2f}", f"{parity.largest:.6f}"
    columns = "precision", "MB", "texts", "equal in percent", "largest difference of a probability"
    print_table("Model and export", columns, [row])


def _read_calibration(given: Sequence[str]) -> tuple[list[Example], list[training.Judged]]:
    """Read labelled corpora, and predictions beside the gold that judges them."""
    labelled: list[Example] = []
    judged: list[training.Judged] = []
    for text in given:
        gold, _, predictions = text.rpartition("=")
        if Path(text).exists() or not gold:
            labelled += readers.read(Path(text))
        else:
            pairs = metrics.pair_examples(readers.read(Path(gold)), readers.read(Path(predictions)))
            judged.append(([one for one, _ in pairs], [other.quads for _, other in pairs]))
    return labelled, judged


def _read_notice(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}; check --notice") from None
    except UnicodeDecodeError:
        raise DataError(f"{path}: found bytes that are not UTF-8: expected a text; check --notice") from None
