"""`aspectlab serve`: what is wrong is told before anything is loaded; the shipped model is served."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from aspectlab.cli.main import app
from aspectlab.cli.serve import serve
from aspectlab.errors import ConfigError
from aspectlab.runtime import SHIPPED
from aspectlab.service.guard import Guard
from tests.support.phrase_predictor import PhrasePredictor
from tests.support.service_process import Running

ROOT = Path(__file__).parent.parent.parent
VARIABLE = "SOME_TOKEN"
needs_model = pytest.mark.skipif(not SHIPPED.is_dir(), reason="the shipped model is not there")
PROGRAM = [sys.executable, "-m", "aspectlab", "serve", "--port", "0"]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Stand in for the model and the server; gives the addresses that would be served."""
    addresses: list[str] = []

    def note(app: Guard, listener: socket.socket, limits: object) -> None:
        addresses.append(listener.getsockname()[0])

    monkeypatch.setattr(
        "aspectlab.runtime.load_predictor", lambda model, engine, threads, style: PhrasePredictor()
    )
    monkeypatch.setattr("aspectlab.service.server.run", note)
    return addresses


def test_serve_listens_at_this_machine_only_unless_told(
    served: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    serve(port=0)
    assert served == ["127.0.0.1"]
    errors = capsys.readouterr().err
    assert "warning" not in errors
    assert re.search(r"serves http://127\.0\.0\.1:\d+ ", errors)


def test_serve_makes_a_token_where_others_may_ask(
    served: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    tokens = set()
    for _ in range(2):
        serve(host="0.0.0.0", port=0)  # noqa: S104
        errors = capsys.readouterr().err
        found = re.search(rf"http://{re.escape(socket.gethostname())}:\d+/#token=(\S+)", errors)
        assert found, errors
        tokens.add(found[1])
    assert len(tokens) == 2
    assert all(len(token) >= 32 for token in tokens)
    assert served == ["0.0.0.0"] * 2  # noqa: S104


def test_serve_asks_for_no_token_if_told_and_warns(
    served: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    serve(host="0.0.0.0", port=0, no_token=True)  # noqa: S104
    errors = capsys.readouterr().err
    assert "warning: whoever reaches 0.0.0.0 may use this service" in errors
    assert "#token=" not in errors


def test_serve_refuses_a_token_and_none() -> None:
    with pytest.raises(ConfigError, match="--no-token and --token-variable"):
        serve(port=0, no_token=True, token_variable=VARIABLE)


@needs_model
def test_serve_on_all_addresses_refuses_who_has_no_token() -> None:
    with _serving("--host", "0.0.0.0") as (service, token):  # noqa: S104
        assert service.analyze(["x"]).status == 401
        assert service.analyze(["x"], {"Authorization": f"Bearer {token}"}).status == 200


def test_serve_does_not_warn_with_a_token(
    served: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "a-token-of-tests")
    serve(host="0.0.0.0", port=0, token_variable=VARIABLE)  # noqa: S104
    errors = capsys.readouterr().err
    assert "warning" not in errors
    assert "a-token-of-tests" not in errors


def test_serve_says_that_a_port_is_in_use() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(ConfigError, match=f"--port {port}: is in use.*choose another --port"):
            serve(port=port)


def test_serve_refuses_a_time_without_end() -> None:
    answer = CliRunner().invoke(app, ["serve", "--port", "0", "--timeout-s", "inf"])
    assert answer.exit_code == 2
    assert "--timeout-s" in answer.stderr


def test_serve_names_the_option_of_an_unknown_runtime() -> None:
    with pytest.raises(ConfigError, match="--runtime 'torhc' is unknown: did you mean 'torch'"):
        serve(runtime="torhc")


def test_serve_says_that_a_host_does_not_exist() -> None:
    with pytest.raises(ConfigError, match="--host 'no such host': no such address"):
        serve(host="no such host", port=0)


def test_serve_says_that_the_token_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(ConfigError, match="--token-variable SOME_TOKEN: found nothing"):
        serve(port=0, token_variable=VARIABLE)


@contextmanager
def _serving(*options: str) -> Iterator[tuple[Running, str]]:
    """Run the command; gives the service and the token that it prints."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [*PROGRAM, *options], stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stderr is not None
        address = re.search(r"http://\S+", process.stderr.readline())
        assert address, process.stderr.read()
        token = process.stderr.readline().partition("#token=")[2].strip() if options else ""
        yield Running(process, int(address[0].rpartition(":")[2]), process.stderr), token
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == 0


@needs_model
def test_serve_answers_with_the_shipped_model() -> None:
    with _serving() as (service, _):
        answer = service.analyze(["The food was delicious but the service was slow."])
    (sentence,) = answer.json()["results"][0]["sentences"]
    found = {(opinion["aspect"]["text"], opinion["polarity"]) for opinion in sentence["opinions"]}
    assert found == {("food", "positive"), ("service", "negative")}
