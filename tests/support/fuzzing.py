"""Mutants of small good files for everything that reads files or answers, and a count of all that were tried.

    python -m tests.support.fuzzing [--seconds 60] [--counts FILE] [--only NAME]

Every run tries other mutants and adds a line to fuzz_counts.json beside this file, so that several runs come
to a million. It prints what was neither read nor refused by an error of ours, and exits 1 if there was any.
"""

import argparse
import fcntl
import json
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import cycle
from pathlib import Path
from types import FrameType

from aspectlab.analysis.aggregate import Aggregate, Totals, aggregate_from_dict, aggregate_to_dict
from aspectlab.annotation.exchange import read_annotations
from aspectlab.annotation.sheets import read_sheet as read_annotation_sheet
from aspectlab.campaigns.absita.sheet import read_sheet
from aspectlab.data import PolarityCounts, read_split
from aspectlab.encodings.vocabulary import read_tokenizer
from aspectlab.errors import AspectlabError
from aspectlab.experiments import read_record
from aspectlab.experiments.record import record_to_dict
from aspectlab.experiments.studyfile import read_study
from aspectlab.graph.sources import gather_statements
from aspectlab.llm.chat import ChatAnswer
from aspectlab.llm.client import read_answer, read_error, read_wait
from aspectlab.llm.prompts import FORMS, locate_records, parse_answer
from aspectlab.metamorphic.mutants import read_mutant_runs
from aspectlab.readers import READERS, read
from aspectlab.readers.reviews import open_reviews
from aspectlab.readers.tables import ReadCounts
from aspectlab.reports.runs.load import read_rows
from aspectlab.robustness.predictions import read_predictions
from aspectlab.runtime.predictor import is_exported, read_description
from aspectlab.untrusted import read_json
from tests.support.chat_endpoint import GOOD, say
from tests.support.formats import content_of
from tests.support.fuzzed_commands import list_inputs
from tests.support.runs import RECORD

COUNTS = Path(__file__).with_name("fuzz_counts.json")
LONGEST_S = 5.0
MOST_MB = 1024
BATCH = 200
SHORT_BATCH = 25
"""For what takes milliseconds each time."""

PIECES = [
    b"",
    b"\x00",
    b"\xff",
    b"\n",
    b"\r\n",
    b"####",
    b"[",
    b"((",
    b"\\",
    b'"',
    b"'",
    b"=",
    b";",
    b",",
    b"\t",
]
PIECES += [
    "\u2028".encode(),
    b"<",
    b"&x;",
    b"NULL",
    b"-1",
    b"9999999999",
    b"1e999",
    b"NaN",
    b"$T$",
    b"[" * 5000,
]


def mutate(content: bytes, rng: random.Random) -> bytes:
    """Change a few places: cut, repeat, overwrite or insert."""
    draft = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        start = rng.randrange(len(draft) + 1)
        end = min(len(draft), start + rng.choice([0, 1, 1, 2, 8, 64, 500]))
        piece = rng.choice([*PIECES, rng.randbytes(rng.randint(1, 6)), bytes(draft[start:end]) * 2])
        draft[start:end] = piece
    return bytes(draft)


@dataclass(frozen=True)
class Target:
    """What reads a file, the bytes of a good one, and errors beside ours that its callers expect."""

    read: Callable[[Path], object]
    good: bytes
    expected: tuple[type[Exception], ...] = ()


def read_reviews(path: Path) -> None:
    for _ in open_reviews([path]).read(ReadCounts()):
        pass


def read_chat_answer(path: Path) -> None:
    body = path.read_bytes().decode("utf-8", "replace")
    answer = ChatAnswer(body)
    locate_records("Nice tea, but the cup was dirty.", parse_answer(FORMS["aste"], answer))


def read_chat_body(path: Path) -> None:
    body = path.read_bytes().decode("utf-8", "replace")
    read_error(body)
    read_wait(body)
    read_answer(body)


def read_export(path: Path) -> None:
    path.rename(path.with_name("config.json"))
    try:
        is_exported(path.parent)
        read_description(path.parent)
    finally:
        path.with_name("config.json").unlink()


def read_run(path: Path) -> None:
    path.rename(path.with_name("run.json"))
    try:
        read_record(path.parent)
    finally:
        path.with_name("run.json").unlink()


REVIEWS = b"id,text,rating,date\n1,Good soup.,5,2024-05-01\n"
REVIEWS += b'2,"Bad, cold",1,2024-05-02\n3,Fine,3,2024-06-01\n'
STUDY = Path("studies/arts-small.toml").read_bytes()
AGGREGATE = Aggregate("a", Totals(1, 2, 1, 1), PolarityCounts(1), notices=("b",))
MUTANTS = Path("examples/mutants.json").read_bytes()
ROWS = b"model,encoder,corpus,split,seed,accuracy,arts_accuracy\nbert,tiny,rest14,1,1,80.5,60\n"
TOKENS = b'{"normalizer": null, "model": {"type": "WordPiece", "unk_token": "[UNK]", '
TOKENS += b'"vocab": {"[UNK]": 0, "a": 1}}}'
EXPORT = b'{"format": 1, "engine": "x", "model": "stage", "encoder": {}, "precision": "bf16", '
EXPORT += (
    b'"max_length": 8, "width": 8, "files": {"model.xml": "0", "model.bin": "1", "tokenizer.json": "2"}}'
)
OPINIONS = b"text,aspect,polarity,opinion,category\nGood soup.,soup,positive,Good,food\n"
SPLIT = json.dumps({"corpus": "a", "number": 1, "train": ["1"], "dev": ["2"], "test": []}).encode()


def list_targets() -> dict[str, Target]:
    """Return everything that reads what others wrote, by name."""
    readers = {
        f"reader:{name}": Target(lambda path, name=name: read(path, name), content_of(name))  # type: ignore[misc]
        for name in READERS
    }
    record = json.dumps(record_to_dict(RECORD)).encode()
    summary = json.dumps(aggregate_to_dict(AGGREGATE)).encode()
    label_studio = content_of("label-studio")
    commands = {name: Target(run, good) for name, run, good in list_inputs()}
    return (
        readers
        | commands
        | {
            "reader:any reader": Target(read, content_of("jsonl")),
            "file:reviews as csv": Target(read_reviews, REVIEWS),
            "file:reviews as jsonl": Target(read_reviews, b'{"text": "Good soup.", "rating": 5}\n"Fine"\n'),
            "file:reviews as parquet": Target(read_reviews, content_of("parquet")),
            "file:run.json": Target(read_run, record),
            "file:study.toml": Target(read_study, STUDY),
            "file:rows of runs": Target(read_rows, ROWS),
            "file:analysis.json": Target(
                lambda path: aggregate_from_dict(read_json(path)), summary, (ValueError,)
            ),
            "file:mutant runs": Target(read_mutant_runs, MUTANTS),
            "file:split": Target(read_split, SPLIT),
            "file:opinions for a graph": Target(lambda path: gather_statements([path]), OPINIONS),
            "file:predictions of robustness": Target(
                read_predictions, b"id,prediction\n1,positive\n2_adv1,neutral\n"
            ),
            "file:run of ABSITA": Target(read_sheet, content_of("absita")),
            "file:sheet of annotations": Target(read_annotation_sheet, OPINIONS),
            "file:annotations": Target(lambda path: read_annotations(path), label_studio),
            "chat:chat answer": Target(read_chat_answer, GOOD.encode()),
            "chat:chat completion": Target(read_chat_body, say(GOOD).body.encode()),
            "model:tokenizer.json": Target(read_tokenizer, TOKENS, (ValueError,)),
            "model:exported config.json": Target(read_export, EXPORT),
        }
    )


def try_mutant(target: Target, path: Path, content: bytes) -> str | None:
    """Read a mutant; return what it did that nothing should, or None."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError(f"over {LONGEST_S} s of a processor")

    path.write_bytes(content)
    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST_S)
    try:
        target.read(path)
    except AspectlabError:
        return None
    except target.expected:
        return None
    except BaseException as error:  # noqa: BLE001 (that is what is looked for)
        return f"{type(error).__name__}: {error!s:.200}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return None


def add_run(path: Path, tried: Counter[str], faults: int, seconds: float) -> int:
    """Add a run to those of before, one a line; return how many mutants there were in all."""
    kinds = Counter[str]()
    for name, number in tried.items():
        kinds[name.partition(":")[0]] += number
    run = {"day": f"{date.today()}", "seconds": round(seconds), "faults": faults, "mutants": dict(kinds)}
    with path.open("a+", encoding="utf-8") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        stream.seek(0)
        runs = [*json.loads(stream.read() or "[]"), run]
        stream.truncate(0)
        stream.write("[\n" + ",\n".join(f" {json.dumps(each)}" for each in runs) + "\n]\n")
    return sum(sum(each["mutants"].values()) for each in runs)


def try_batches(
    targets: dict[str, Target], seconds: float, tried: Counter[str]
) -> Iterator[tuple[str, str, bytes]]:
    """Try mutants for so long, and count them; yield the faults with the bytes that led to them."""
    deadline, seed = time.monotonic() + seconds, random.SystemRandom().randrange(1 << 32)
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        for name, target in cycle(targets.items()):
            for _ in range(SHORT_BATCH if name.startswith(("command", "service")) else BATCH):
                if time.monotonic() > deadline:
                    return
                content = mutate(target.good, rng)
                tried[name] += 1
                if (fault := try_mutant(target, path, content)) is not None:
                    yield name, fault, content


def main() -> None:
    """Try mutants and print what went wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--counts", type=Path, default=COUNTS)
    parser.add_argument("--only", help="names that begin so")
    options = parser.parse_args()
    targets = {name: each for name, each in list_targets().items() if name.startswith(options.only or "")}
    faults: dict[tuple[str, str], bytes] = {}
    tried, began = Counter[str](), time.monotonic()
    try:
        for name, fault, content in try_batches(targets, options.seconds, tried):
            if (name, fault[:60]) not in faults:
                faults[name, fault[:60]] = content
                sys.stdout.write(f"{name}: {fault}: {content[:2000]!r}\n")
                sys.stdout.flush()
    finally:
        total = add_run(options.counts, tried, len(faults), time.monotonic() - began)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    said = f"{tried.total():,} mutants, {total:,} with those of before, {len(faults)} faults, {peak} MB"
    sys.stdout.write(f"{said}\n")
    sys.exit(1 if faults or peak > MOST_MB else 0)


if __name__ == "__main__":
    main()
