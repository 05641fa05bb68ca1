"""What commands and the service are given by others: the words of a command, and a good input.

The words name the mutant FILE, and files beside it; what a command writes lies in a folder that goes with it.
"""

import atexit
import io
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

import typer
from fastapi.testclient import TestClient

from aspectlab.analysis import analyze, prepare
from aspectlab.service import build_app
from tests.support.formats import TEXTS
from tests.support.phrase_predictor import PhrasePredictor

FILE = "mutant.csv"
EXAMPLES = Path(__file__).parents[2] / "examples"


def take_lines(name: str, number: int) -> str:
    """Return the first lines of an example."""
    return "".join((EXAMPLES / name).read_text(encoding="utf-8").splitlines(keepends=True)[:number])


ROWS = "model,encoder,corpus,split,seed,accuracy\n"
ROWS += "".join(f"{model},tiny,a,1,{seed},{60 + seed}\n" for model in "xy" for seed in (1, 2, 3))
TABLE = "id,sentence,term,gold_label,good,bad\n1_0,Fine tea.,tea,positive,positive,positive\n"
TABLE += '1_1,Fine tea.,cup,negative,negative,positive\n1_0_adv1,"Bad, tea",tea,negative,negative,positive\n'
OPINIONS = "text,aspect,polarity,opinion,category\nGood soup.,soup,positive,Good,food\n"
HOTELS = "hotel,aspect,polarity\nBelmora,room,positive\nIris,room,negative\n"
REVIEWS = "id,text,rating,date\n1,The soup was lovely.,5,2024-05-01\n2,The fan is loud.,1,2024-05-02\n"
BODY = {"texts": ["The soup was lovely.", "The fan is loud."], "options": {"min_confidence": 0.5}}
BESIDE = {
    "sample": take_lines("sample_test.jsonl", 12),
    "predicted": take_lines("predictions.jsonl", 12),
    "arts": TEXTS["arts"],
    "absita": TEXTS["absita"],
    "dimabsa": TEXTS["dimabsa"],
    "rows.csv": ROWS,
    "sentences": TEXTS["arts-sentences"],
}
"""Good files by name."""

SCORING = ("--resamples", "2", "--json")
COMMANDS: dict[tuple[str, ...], str] = {
    ("score", "sample", FILE, "--task", "aste", *SCORING): BESIDE["predicted"],
    ("score", FILE, "predicted", "--task", "aste", "--resamples", "2"): BESIDE["sample"],
    ("arts", "score", "arts", FILE, *SCORING): TEXTS["arts"],
    ("arts", "score", FILE, "arts"): TEXTS["arts"],
    ("arts", "table", FILE): TABLE,
    ("arts", "generate", FILE, "--train", "sentences", "--out", "out"): TEXTS["arts-sentences"],
    ("arts", "generate", "sentences", "--train", FILE, "--out", "out"): TEXTS["arts-sentences"],
    ("arts", "augment", FILE, "--out", "out"): TEXTS["arts-sentences"],
    ("metamorphic", "verdicts", FILE, "--json"): take_lines("mutants.json", 1_000),
    ("graph", FILE, "--json"): OPINIONS,
    ("graph", FILE, "--out", "out", "--entity-column", "hotel"): HOTELS,
    ("absita", "validate", FILE): TEXTS["absita"],
    ("absita", "score", "absita", FILE, *SCORING): TEXTS["absita"],
    ("absita", "score", FILE, "absita", *SCORING): TEXTS["absita"],
    ("absita", "rank", "absita", FILE, "--resamples", "2", "--out", "out.html"): TEXTS["absita"],
    ("dimabsa", "validate", FILE, "--gold", "dimabsa", "--fix", "out"): TEXTS["dimabsa"],
    ("dimabsa", "score", "dimabsa", FILE, *SCORING): TEXTS["dimabsa"],
    ("dimabsa", "score", FILE, "dimabsa", *SCORING): TEXTS["dimabsa"],
    ("dimabsa", "rank", "dimabsa", FILE, "--resamples", "2", "--out", "out.md"): TEXTS["dimabsa"],
    ("annotate", "sample", FILE, "--size", "1", "--out", "out"): TEXTS["absita"],
    ("annotate", "export", FILE, "--out", "out"): TEXTS["jsonl"],
    ("annotate", "import", FILE, "--out", "out"): TEXTS["label-studio"],
    ("annotate", "agreement", "sample", FILE, "--similarity", "letters", *SCORING): BESIDE["predicted"],
    ("report", FILE, "--format", "md"): ROWS,
    ("report", FILE, "--out", "out", "--format", "md,csv,latex,html"): ROWS,
    ("compare", FILE, "--a", "x/tiny", "--b", "y/tiny"): ROWS,
    ("data", "convert", FILE, "out.csv"): TEXTS["semeval14"],
    ("data", "convert", FILE, "out.parquet"): TEXTS["jsonl"],
    ("data", "clean", FILE, "out.jsonl"): TEXTS["table"],
    ("data", "split", FILE, "--out", "out"): BESIDE["sample"],
    ("data", "check", FILE, "sample"): BESIDE["predicted"],
    ("data", "show", FILE): TEXTS["aste"],
    ("data", "stats", FILE, "--json"): TEXTS["acos"],
}
"""The commands with a good FILE of each."""


@cache
def command_parser() -> Callable[..., object]:
    """Build the parser of the command line once, which takes longer than a command."""
    return typer.main.get_command(import_module("aspectlab.cli.main").app)


def run_command(words: tuple[str, ...], mutant: Path) -> int:
    """Run a command and return its exit status; raise what is neither done nor refused."""
    with tempfile.TemporaryDirectory(dir=mutant.parent) as folder:
        for name, content in BESIDE.items():
            Path(folder, name).write_text(content, encoding="utf-8")
        mutant.rename(Path(folder, FILE))
        before, sys.argv = (os.getcwd(), sys.argv), ["aspectlab", *words]
        os.chdir(folder)
        try:
            return _call_main()
        finally:
            os.chdir(before[0])
            sys.argv = before[1]


def _call_main() -> int:
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    module = import_module("aspectlab.cli.main")
    # other tests of this process need the program as it was
    lent = patch.object(module, "app", command_parser())
    try:
        with redirect_stdout(streams[0]), redirect_stderr(streams[1]), lent:
            module.main()
    except SystemExit as stop:
        status = 0 if stop.code is None else stop.code
    for stream in streams:
        stream.flush()
    printed, said = (stream.buffer.getvalue().decode("utf-8") for stream in streams)  # type: ignore[attr-defined]
    assert status in (0, 1) or (status == 2 and "error" in said.lower()), f"exit {status}: {said[-300:]}"
    assert "Traceback" not in said, said[-300:]
    assert "\x1b" not in printed + said, "drives the terminal"
    return status


def analyze_file(path: Path) -> None:
    """Analyse reviews, twice: the second time all is there already."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        path = path.rename(Path(folder, "reviews.csv"))
        tables = [_analyze(path, Path(folder, "out")) for _ in range(2)]
    assert tables[0] == tables[1]


def _analyze(path: Path, out: Path) -> bytes:
    analyze(prepare([path]), PhrasePredictor(), out, report=False)
    return (out / "opinions.csv").read_bytes()


@cache
def finished_analysis() -> tuple[Path, dict[str, bytes]]:
    """Return reviews with a folder of their analysis beside them, and its files."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    source, out = folder / "reviews.csv", folder / "out"
    source.write_text(REVIEWS, encoding="utf-8")
    _analyze(source, out)
    files = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    return source, files


def repair_analysis(name: str, mutant: Path) -> None:
    """Call an analysis again of which one file was changed: its tables must come out as they were."""
    source, good = finished_analysis()
    out = source.with_name("out")
    for other, content in good.items():
        (out / other).write_bytes(mutant.read_bytes() if other == name else content)
    assert _analyze(source, out) == good["opinions.csv"], "false complete"


@cache
def service() -> TestClient:
    """Return a client of the service, which goes with the process."""
    client = TestClient(
        build_app(PhrasePredictor()), base_url="http://localhost", raise_server_exceptions=True
    )
    client.__enter__()
    return client


def post(path: str, kind: str, mutant: Path) -> None:
    """Send something to the service."""
    answer = service().post(path, content=mutant.read_bytes(), headers={"Content-Type": kind})
    assert answer.status_code == 200 or 400 <= answer.status_code < 500, answer.text[:300]


def list_inputs() -> Iterator[tuple[str, Callable[[Path], object], bytes]]:
    """Yield what reads the inputs of commands, by name, with a good input each."""
    for words, good in COMMANDS.items():
        yield f"command:{' '.join(words)}", partial(run_command, words), good.encode()
    yield "command:analyze", analyze_file, REVIEWS.encode()
    for name, content in finished_analysis()[1].items():
        yield f"command:analyze again:{name}", partial(repair_analysis, name), content
    yield "service:analyze", partial(post, "/v1/analyze", "application/json"), json.dumps(BODY).encode()
    yield "service:report", partial(post, "/v1/report?name=a.csv", "text/csv"), REVIEWS.encode()
