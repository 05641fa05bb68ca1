"""`aspectlab analyze --model llm:NAME@URL`: a chat model in the place of the shipped one."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aspectlab.cli import analyze
from aspectlab.cli.main import app
from aspectlab.errors import ConfigError
from tests.support.chat_endpoint import GOOD, Server, say
from tests.support.keyword_predictor import KeywordPredictor


@pytest.fixture(autouse=True)
def reviews(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # the vectors are those of the shipped model, which is slow to load
    monkeypatch.setattr(analyze, "open_predictor", lambda *options: KeywordPredictor())
    Path("a.txt").write_text("A nice cup of tea!", encoding="utf-8")


def run(model: str) -> Result:
    return CliRunner().invoke(app, ["analyze", "a.txt", "--model", model])


def test_chat_model_finds_the_opinions(server: Server) -> None:
    server.choose = lambda call: say(GOOD)
    answer = run(f"llm:m1@{server.url}")
    assert answer.exit_code == 0, answer.exception
    assert "1 review, 1 sentence, 1 opinion" in answer.stdout


@pytest.mark.parametrize(
    ("model", "message"), [("llm:m1", "--endpoint is missing"), ("llm:", "the name of the model is missing")]
)
def test_chat_model_without_name_or_endpoint_is_refused(model: str, message: str) -> None:
    error = run(model).exception
    assert isinstance(error, ConfigError)
    assert message in str(error)
