"""A stand-in endpoint, a client that does not really wait, and an environment of its own."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from threading import Thread

import pytest

from aspectlab.llm import AnswerCache, Client, Endpoint
from tests.support.chat_endpoint import KEY, Server


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as stand_in:
        thread = Thread(target=stand_in.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield stand_in
        stand_in.closing.set()
        stand_in.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("ASPECTLAB_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def waits() -> list[float]:
    """The pauses that the client made."""
    return []


@pytest.fixture
def client(server: Server, waits: list[float]) -> Client:
    return Client(Endpoint(server.url), "m1", wait=waits.append, rng=Random(1))


@pytest.fixture
def cache(tmp_path: Path) -> AnswerCache:
    return AnswerCache(tmp_path / "answers.sqlite")
