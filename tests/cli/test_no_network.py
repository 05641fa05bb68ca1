"""With ASPECTLAB_OFFLINE=1 no command opens a connection, asks for a name, or sends a packet."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "examples"
TRAIN = ["--train", f"{SAMPLE}/sample_train.jsonl", "--dev", f"{SAMPLE}/sample_dev.jsonl", "--epochs", "1"]
STUDY = """
name = "offline"
task = "atsc"
seeds = 1
[corpora.sample]
train = "{folder}/sample_train.jsonl"
dev = "{folder}/sample_dev.jsonl"
tests.test = "{folder}/sample_test.jsonl"
[[models]]
name = "marked"
encoder = "some-org/some-model"
"""
COMMANDS = {
    "analyze": ["analyze", f"{SAMPLE}/reviews.csv", "--out", "out"],
    "data stats": ["data", "stats", f"{SAMPLE}/sample.jsonl"],
    "data convert": ["data", "convert", f"{SAMPLE}/sample.jsonl", "out.parquet"],
    "score": ["score", f"{SAMPLE}/sample_test.jsonl", f"{SAMPLE}/predictions.jsonl", "--task", "aste"],
    "graph": ["graph", f"{SAMPLE}/sample.jsonl", "--out", "out"],
    "models": ["models"],
    "encoders": ["encoders"],
    "doctor": ["doctor"],
    "validate": ["validate", "study.toml"],
    "train": ["train", "--model", "marked", "--encoder", "tiny", *TRAIN, "--out", "model"],
    "train on a model of the hub": [
        *("train", "--model", "marked", "--encoder", "some-org/some-model", *TRAIN, "--out", "model"),
    ],
    "train on T5 of the hub": [
        *("train", "--model", "gas", "--set", "constrained=false", "--encoder", "google/t5", *TRAIN),
        *("--out", "model"),
    ],
    "run on a model of the hub": ["run", "study.toml", "--out", "runs"],
    "report": ["report", "rows.csv"],
}
REFUSED = {
    "train on a model of the hub": "some-org/some-model",
    "train on T5 of the hub": "google/t5",
    "run on a model of the hub": "some-org/some-model",
}
_NETWORK = re.compile(r"\b(?:connect|sendto|sendmsg)\(.*(?:AF_INET6?|sin6?_port)")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
@pytest.mark.parametrize("name", COMMANDS)
def test_command_without_network_connects_to_nobody(name: str, tmp_path: Path) -> None:
    if name.startswith(("train", "run")):
        pytest.importorskip("torch", reason="training needs the extra 'train'")
    (tmp_path / "study.toml").write_text(STUDY.format(folder=SAMPLE), encoding="utf-8")
    (tmp_path / "rows.csv").write_text(
        "model,corpus,split,seed,accuracy\nbert,rest14,1,1,80\n", encoding="utf-8"
    )
    trace = ["strace", "-f", "-qq", "-e", "trace=%network", "-o", str(tmp_path / "trace")]
    own = {"ASPECTLAB_OFFLINE": "1", "ASPECTLAB_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(ROOT)}
    own |= {"HF_HOME": str(tmp_path / "hub")}
    others = {key: value for key, value in os.environ.items() if not key.startswith(("HF_", "TRANSFORMERS_"))}
    answer = subprocess.run(
        [*trace, sys.executable, "-m", "aspectlab", *COMMANDS[name]],
        cwd=tmp_path,
        env=others | own,
        capture_output=True,
        text=True,
    )
    assert (answer.returncode == 0) == (name not in REFUSED), answer.stderr
    # a model that only the hub has was asked for
    assert REFUSED.get(name, "") in answer.stderr
    assert "Traceback" not in answer.stderr
    calls = (tmp_path / "trace").read_text(encoding="utf-8", errors="replace").splitlines()
    assert [call for call in calls if _NETWORK.search(call)] == []


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_trace_shows_a_connection(tmp_path: Path) -> None:
    """The test above can fail: the same trace of a program that knocks at a door."""
    program = "import socket; socket.socket().connect_ex(('127.0.0.1', 9)); print('{}')"
    trace = ["strace", "-f", "-qq", "-e", "trace=%network", "-o", str(tmp_path / "trace")]
    answer = subprocess.run([*trace, sys.executable, "-c", program], capture_output=True, check=True)
    assert json.loads(answer.stdout) == {}
    assert _NETWORK.search((tmp_path / "trace").read_text(encoding="utf-8"))
