"""`aspectlab export`: make a trained model run without torch, and check that it is still the same model."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from aspectlab.cli.console import notice, print_json, print_table
from aspectlab.cli.options import refuse_irreplaceable, require_training
from aspectlab.cli.predict import Folder
from aspectlab.errors import DataError


def export(
    model: Folder,
    out: Annotated[Path, typer.Option(help="Folder of the exported model.")],
    precision: Annotated[
        str, typer.Option(help="bf16 (fast), fp16 (small), fp32 (exact): how it is stored and computed.")
    ] = "bf16",
    compare: Annotated[
        Path | None, typer.Option(help="A corpus to compare on; some built-in sentences if unset.")
    ] = None,
    notice_file: Annotated[
        Path | None, typer.Option("--notice", help="The notice that the encoder's licence asks for.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write a model of kind stage so that `aspectlab analyze` and `serve` run it without torch.

    Model and export predict the same texts, and the share of equal predictions is printed. Below 95 percent
    the exit code is 1.

    Example: `aspectlab export my-model --out my-export`
    """
    require_training("export")
    from aspectlab.readers import read
    from aspectlab.training import SAMPLES, export_model

    refuse_irreplaceable(out)
    texts = [example.text for example in read(compare)] if compare else SAMPLES
    words = _read_notice(notice_file) if notice_file else None
    place = out.resolve()  # the folder that we stand in may be replaced
    parity = export_model(model, place, texts=texts, precision=precision, notice=words)
    size = sum(path.stat().st_size for path in place.iterdir()) / 1e6
    if as_json:
        print_json({"precision": precision, "megabytes": round(size, 1), **asdict(parity)})
    else:
        row = precision, f"{size:.1f}", parity.texts, f"{100 * parity.equal:.2f}", f"{parity.largest:.6f}"
        columns = "precision", "MB", "texts", "equal in percent", "largest difference of a probability"
        print_table("Model and export", columns, [row])
    notice(f"{out}: exported; use it with: aspectlab analyze FILE --model {out}")
    if not parity.is_enough:
        notice(
            f"{out}: under 95 percent of the texts get the same opinions: train the model longer, since "
            "one that is unsure has many near ties, or use --precision fp32"
        )
        raise typer.Exit(1)


def _read_notice(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}; check --notice") from None
    except UnicodeDecodeError:
        raise DataError(f"{path}: found bytes that are no UTF-8: expected a text; check --notice") from None
