"""`aspectlab predict llm:MODEL` and `aspectlab models llm` as a user meets them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aspectlab.cli import options
from aspectlab.cli.main import app
from aspectlab.errors import AspectlabError, DataError
from aspectlab.readers import read
from tests.support.chat_endpoint import GOOD, Server, fail, say

TEXTS = ["The tea was nice.", "A nice cup of tea!", "We had lunch."]
TRAIN = ["Lovely cake", "Awful noise", "Nothing to say"]
NO_TRIPLET = '{"triplets": []}'


def write_texts(path: Path, texts: list[str]) -> Path:
    lines = [json.dumps({"id": f"t{number}", "text": text, "quads": []}) for number, text in enumerate(texts)]
    described = {"name": path.stem, "language": "en", "annotates": ["aspect", "opinion", "polarity"]}
    lines[0] = json.dumps({**json.loads(lines[0]), "corpus": described})
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path: Path, server: Server) -> Path:
    write_texts(tmp_path / "texts.jsonl", TEXTS)
    write_texts(tmp_path / "train.jsonl", TRAIN)
    server.choose = lambda call: say(NO_TRIPLET if "lunch" in call.text else GOOD)
    return tmp_path


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def predict(folder: Path, server: Server, *options: object, model: str = "llm:m1") -> Result:
    files = [folder / "texts.jsonl", "--out", folder / "out.jsonl"]
    return run("predict", model, *files, "--endpoint", server.url, *options)


def test_predict_llm_writes_what_score_reads(folder: Path, server: Server) -> None:
    answer = predict(folder, server)
    assert answer.exit_code == 0, answer.output
    predicted = read(folder / "out.jsonl")
    assert [example.text for example in predicted] == TEXTS
    assert [len(example.quads) for example in predicted] == [1, 1, 0]
    assert "out.jsonl: 2 predictions for 3 examples" in answer.stderr
    scored = run("score", folder / "out.jsonl", folder / "out.jsonl", "--task", "aste", "--json")
    assert json.loads(scored.stdout)["f1"] == 1.0


def test_predict_llm_accounts_in_json(folder: Path, server: Server) -> None:
    # three answers of 100 tokens in and 20 out: 300 · 0.5 + 60 · 2 = 270 a million
    answer = predict(folder, server, "--price-in", 0.5, "--price-out", 2, "--max-cost", 1, "--json")
    report = json.loads(answer.stdout)
    assert report["cost"] == pytest.approx(0.00027)
    expected = {
        "model": "m1",
        "task": "aste",
        "examples": 3,
        "predictions": 2,
        "requests": 3,
        "malformed": [],
    }
    assert {key: report[key] for key in expected} == expected


def test_predict_llm_prints_a_table_with_a_small_cost(folder: Path, server: Server) -> None:
    text = predict(folder, server, "--price-in", 0.5, "--price-out", 2).stdout
    assert "0.0003" in text
    assert "completion_tokens" in text


def test_predict_llm_goes_on_where_it_stopped(folder: Path, server: Server) -> None:
    server.choose = None
    server.replies = [say(GOOD), fail(401)]
    first = predict(folder, server, "--concurrency", 1)
    assert isinstance(first.exception, AspectlabError)
    assert not (folder / "out.jsonl").exists()
    server.replies = [say(GOOD)]
    report = json.loads(predict(folder, server, "--json").stdout)
    assert (report["cached"], report["requests"]) == (1, 2)


def test_predict_llm_tells_of_unusable_answers(folder: Path, server: Server) -> None:
    server.choose = lambda call: say("Well.")
    answer = predict(folder, server)
    assert answer.exit_code == 0
    assert "example 't0': no usable answer, counted as empty: it is no JSON" in answer.stderr


def test_predict_llm_says_how_far_it_is(folder: Path, server: Server) -> None:
    assert "3 of 3 texts" in predict(folder, server).stderr


def test_predict_llm_shows_examples_of_the_training_file(folder: Path, server: Server) -> None:
    answer = predict(folder, server, "--shots", 2, "--examples", folder / "train.jsonl", "--seed", 3)
    assert answer.exit_code == 0, answer.output
    shown = [message["content"] for message in server.calls[0].messages if message["role"] == "user"][:-1]
    assert len(shown) == 2
    assert set(shown) < set(TRAIN)


def test_predict_llm_refuses_examples_from_the_file_to_predict(folder: Path, server: Server) -> None:
    write_texts(folder / "train.jsonl", [*TRAIN, TEXTS[0]])
    options = ["--shots", 1, "--examples", folder / "train.jsonl"]
    refused = predict(folder, server, *options)
    assert isinstance(refused.exception, DataError)
    assert "1 texts occur in the training corpus 'train'" in str(refused.exception)
    assert server.calls == []
    assert predict(folder, server, *options, "--drop-shared").exit_code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--task", "acd"], "llm: task 'acd' is not one of its tasks"),
        (["--categories", "price,staff"], "llm: task 'aste' has no categories"),
        (["--endpoint", "nowhere"], "endpoint 'nowhere': expected an address such as"),
        (["--shots", "2"], "--shots and --examples: only one is given"),
        (["--examples", "train.jsonl"], "--shots and --examples: only one is given"),
        (["--price-in", "1"], "--price-in and --price-out: only one is given"),
        (["--max-cost", "1"], "--max-cost: the prices are missing"),
        (["--out", "nowhere/out.jsonl"], "is not a folder that can be written to"),
    ],
)
def test_predict_llm_refuses_options_before_it_asks(
    folder: Path, server: Server, options: list[str], message: str
) -> None:
    answer = predict(folder, server, *options)
    assert isinstance(answer.exception, AspectlabError)
    assert message in str(answer.exception)
    assert server.calls == []


@pytest.mark.parametrize("name", ["texts.jsonl", "train.jsonl"])
def test_predict_llm_does_not_write_over_what_it_reads(folder: Path, server: Server, name: str) -> None:
    before = (folder / name).read_bytes()
    options = ["--shots", 1, "--examples", folder / "train.jsonl", "--out", folder / name]
    assert "would be overwritten" in str(predict(folder, server, *options).exception)
    assert ((folder / name).read_bytes(), server.calls) == (before, [])


@pytest.mark.parametrize("seconds", ["inf", "1e12"])
def test_predict_llm_refuses_a_time_that_no_clock_holds(folder: Path, server: Server, seconds: str) -> None:
    answer = predict(folder, server, "--timeout-s", seconds)
    assert (answer.exit_code, server.calls) == (2, [])


def test_predict_llm_needs_an_endpoint(folder: Path) -> None:
    answer = run("predict", "llm:m1", folder / "texts.jsonl", "--out", folder / "out.jsonl")
    assert "llm:m1: --endpoint is missing" in str(answer.exception)


def test_predict_llm_needs_a_model(folder: Path, server: Server) -> None:
    assert "the name of the model is missing" in str(predict(folder, server, model="llm:").exception)


def test_predict_takes_llm_options_for_llm_only(folder: Path, server: Server) -> None:
    answer = predict(folder, server, model="my-model")
    assert "--endpoint: 'my-model' is a folder: expected llm:MODEL" in str(answer.exception)


@pytest.mark.parametrize("words", [["models", "llm", "--json"], ["predict", "llm:m1", "x", "--out", "y"]])
def test_llm_imports_no_torch(words: list[str]) -> None:
    program = "import sys; from aspectlab.cli.main import app; from contextlib import suppress\n"
    program += f"with suppress(Exception): app({words!r}, standalone_mode=False)\n"
    program += "import aspectlab.llm; assert not {'torch', 'transformers', 'spacy'} & set(sys.modules)"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr


def test_models_describes_llm_without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "find_spec", lambda name: None)
    record = json.loads(run("models", "llm", "--json").stdout)
    assert record["paper"].startswith("LLM: ")
    assert (record["task"], record["settings"]["shots"]) == ("aste, e2e, asqp", 0)
    assert "OpenAI-compatible" in run("models", "llm").stdout
