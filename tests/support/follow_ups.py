"""Two follow-ups of one sentence, made by hand, and what commands say of them."""

import json
from pathlib import Path

from typer.testing import CliRunner, Result

from aspectlab.cli.main import app

TEXT = "The tea is good but the cup is dirty."
SWAPPED = "The tea is bad but the cup is dirty."


def quad(text: str, aspect: str, opinion: str, polarity: str) -> dict[str, object]:
    def place(term: str) -> dict[str, object]:
        return {"text": term, "start": text.index(term), "end": text.index(term) + len(term)}

    return {"aspect": place(aspect), "category": None, "opinion": place(opinion), "polarity": polarity}


TEA, CUP = quad(TEXT, "tea", "good", "positive"), quad(TEXT, "cup", "dirty", "negative")
SOURCE = {"id": "1", "text": TEXT, "quads": [TEA, CUP]}
# made by hand in the form that `generate` writes
FOLLOWUPS = [
    {
        "id": "1.MR1-2.1.0",
        "text": SWAPPED,
        "quads": [quad(SWAPPED, "cup", "dirty", "negative")],
        "source": "1",
        "variant": "MR1-2 of 1: 11:15 good > bad (antonym)",
    },
    {
        "id": "1.MR2-4.0.0",
        "text": SWAPPED,
        "quads": [quad(SWAPPED, "tea", "bad", "negative")],
        "source": "1",
        "variant": "MR2-4 of 0: 11:15 good > bad (antonym)",
    },
]


def write(path: Path, records: list[dict[str, object]]) -> str:
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return str(path)


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["metamorphic", *map(str, words)])


def answer(quads: dict[str, list[dict[str, object]]]) -> list[dict[str, object]]:
    """Predictions by id: the gold of the source, and these for the follow-ups."""
    given = {"1": [TEA, CUP], **quads}
    records = [SOURCE, *FOLLOWUPS]
    return [{"id": r["id"], "text": r["text"], "quads": given.get(str(r["id"]), [])} for r in records]


def save_untrained(name: str, folder: Path, settings: dict[str, object] | None = None) -> Path:
    """Save a model that has learnt nothing; this needs torch."""
    from aspectlab.encoders import load_encoder
    from aspectlab.models import build_model
    from aspectlab.training import save_model

    model = build_model(name, load_encoder("tiny"), settings or {})
    save_model(model, folder)
    return folder
