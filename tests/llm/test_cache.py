"""Answers that are kept: found again by content, and never a reason to fail."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from aspectlab.errors import ConfigError
from aspectlab.language import TextTable
from aspectlab.llm import AnswerCache, ChatAnswer, default_cache
from aspectlab.llm.chat import request_key

HELLO = [{"role": "user", "content": "Nice tea"}]
ANSWER = ChatAnswer("Yes \ud83d", True, 7, None)


def test_cache_gives_back_what_it_was_given(cache: AnswerCache) -> None:
    cache.keep("key", ANSWER)
    assert AnswerCache(cache.path).find("key") == ANSWER
    assert cache.find("other") is None


def test_cache_lies_in_the_user_cache_folder(tmp_path: Path) -> None:
    assert default_cache().path == tmp_path / "cache" / "llm" / "answers.sqlite"


@pytest.mark.parametrize(
    "key",
    [
        request_key("m2", HELLO, {"temperature": 0}),
        request_key("m1", [*HELLO, *HELLO], {"temperature": 0}),
        request_key("m1", [{"role": "user", "content": "nice tea"}], {"temperature": 0}),
        request_key("m1", HELLO, {"temperature": 1}),
    ],
    ids=["model", "turns", "text", "parameters"],
)
def test_key_depends_on_all_that_is_asked(key: str) -> None:
    assert key != request_key("m1", HELLO, {"temperature": 0})


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"text": "x", "unknown": 1}', "{}"])
def test_cache_takes_a_damaged_entry_for_absent(cache: AnswerCache, text: str) -> None:
    TextTable(cache.path).write({"key": text})
    assert cache.find("key") is None


def test_cache_takes_a_damaged_file_for_empty(cache: AnswerCache) -> None:
    cache.path.write_bytes(b"no database at all" * 100)
    assert cache.find("key") is None
    cache.keep("key", ANSWER)
    assert cache.find("key") == ANSWER


def test_cache_loses_no_answer_of_many_threads(cache: AnswerCache) -> None:
    keys = [str(number) for number in range(60)]
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda key: cache.keep(key, ChatAnswer(key)), keys))
    found = [cache.find(key) for key in keys]
    assert [answer and answer.text for answer in found] == keys


def test_cache_that_cannot_be_written_is_refused_before_answers_are_paid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ASPECTLAB_CACHE", str(tmp_path / "file"))
    with pytest.raises(ConfigError, match=r"answers cannot be kept there.*ASPECTLAB_CACHE"):
        default_cache()
