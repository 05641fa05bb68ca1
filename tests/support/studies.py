"""Study files over a few hand-written sentences, and what tests want to know of a folder of runs."""

import json
from pathlib import Path

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.experiments.assembly import PreparedCorpus
from aspectlab.experiments.plan import ModelInfo, plan_runs
from aspectlab.experiments.record import RunRecord, read_runs
from aspectlab.experiments.studyfile import read_study
from aspectlab.readers import write

ASPECTS = ["soup", "bread", "tea", "waiter", "terrace", "menu"]
OPINIONS = {"lovely": Polarity.POSITIVE, "awful": Polarity.NEGATIVE, "so-so": Polarity.NEUTRAL}

MODEL = """
[[models]]
name = "marked"
encoder = "tiny"
settings = { epochs = 1, batch_size = 8, precision = "fp32" }
"""


def make_corpus(start: str) -> Corpus:
    """Eighteen sentences such as "Today the soup was lovely."."""
    examples = []
    for aspect in ASPECTS:
        for word, polarity in OPINIONS.items():
            text = f"{start} the {aspect} was {word}."
            quad = Quad(_place_term(text, aspect), None, _place_term(text, word), polarity)
            examples.append(Example(f"{aspect}-{word}", text, (quad,)))
    parts = frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY})
    return Corpus(start.lower(), "en", parts, tuple(examples))


def _place_term(text: str, term: str) -> Term:
    start = text.index(term)
    return Term(term, Span(start, start + len(term)))


def write_corpora(folder: Path) -> None:
    """Write train.jsonl, dev.jsonl and test.jsonl."""
    for name, start in (("train", "Today"), ("dev", "Yesterday"), ("test", "Tonight")):
        write(make_corpus(start), folder / f"{name}.jsonl", "jsonl")


def write_study(
    folder: Path, *, splits: int = 2, seeds: int = 2, top: str = "", models: str = MODEL, corpus: str = ""
) -> Path:
    """Write corpora and a study file beside them; what is given is put into its place."""
    write_corpora(folder)
    text = f"""
name = "toy"
seeds = {seeds}
{top}
[protocol]
splits = {splits}
dev = 0.2
[corpora.toys]
train = "train.jsonl"
tests.test = "test.jsonl"
{corpus}
{models}
"""
    path = folder / "study.toml"
    path.write_text(text, encoding="utf-8")
    return path


def collect(
    folder: Path, corpus: str, task: str = "atsc", plan: dict[str, object] | None = None
) -> tuple[PreparedCorpus, list[str]]:
    """Plan a study of one corpus and give what its runs would use, and what is wrong."""
    study, problems = read_study(write_study(folder, corpus=corpus))
    assert problems == []
    facts = ModelInfo(task=task, encoder="tiny", settings={}, plan=plan or {})
    schedule, problems = plan_runs(study, lambda requests: [facts for _ in requests])
    (material,) = schedule.materials.values()
    return material, problems


def table(folder: Path) -> list[tuple[object, ...]]:
    """Return what a table is made from: everything of a run but its time and place."""
    return [
        (*_place(record), json.dumps(record.metrics), json.dumps(record.dev)) for record in read_runs(folder)
    ]


def _place(record: RunRecord) -> tuple[object, ...]:
    return record.id, record.label, record.encoder, record.corpus, record.split, record.seed, record.task


def predictions(folder: Path) -> dict[str, bytes]:
    """Return the prediction files of all finished runs."""
    paths = sorted(folder.glob("[!.]*/predictions/*.jsonl"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """Identify each making of a run by the place and time of its file on disk."""
    found = {path.parent.name: path.stat() for path in folder.glob("[!.]*/run.json")}
    return {name: (status.st_ino, status.st_mtime_ns) for name, status in found.items()}
