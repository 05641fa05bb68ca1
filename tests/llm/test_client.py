"""The client against a real server: what it sends, what it tries again, and how it gives up."""

import json
import math
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from aspectlab.errors import AspectlabError, ConfigError, EndpointError
from aspectlab.llm import ChatAnswer, Client, Endpoint
from aspectlab.llm.client import RefusedError, read_wait
from tests.support.chat_endpoint import GOOD, KEY, Reply, Server, fail, say

HELLO = [{"role": "user", "content": "Nice tea"}]


def test_client_gives_the_answer_with_its_tokens(server: Server, client: Client) -> None:
    assert client.ask(HELLO) == ChatAnswer(GOOD, prompt_tokens=100, completion_tokens=20)
    assert [call.path for call in server.calls] == ["/v1/chat/completions"]


def test_client_joins_the_parts_of_an_answer(server: Server, client: Client) -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Tea?"}]}
    parts = [thought, {"type": "text", "text": GOOD[:9]}, {"type": "text", "text": GOOD[9:]}]
    server.replies = [Reply(body=json.dumps({"choices": [{"message": {"content": parts}}]}))]
    assert client.ask(HELLO).text == GOOD


@pytest.mark.parametrize("choice", [None, "Yes", {"text": "Yes"}, {"message": "Yes"}])
def test_client_takes_no_answer_without_a_message(server: Server, client: Client, choice: object) -> None:
    server.replies = [Reply(body=json.dumps({"choices": [choice]})), say(GOOD)]
    assert client.ask(HELLO).text == GOOD


def test_client_sends_key_model_and_parameters(server: Server, client: Client) -> None:
    client.ask(HELLO)
    call = server.calls[0]
    assert call.headers["Authorization"] == f"Bearer {KEY}"
    assert call.body == {
        "model": "m1",
        "messages": HELLO,
        "temperature": 0,
        "max_tokens": 1024,
        "response_format": {"type": "json_object"},
    }


def test_client_without_a_key_sends_none(
    server: Server, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    client.ask(HELLO)
    assert "Authorization" not in server.calls[0].headers


def test_client_takes_the_key_of_the_named_variable(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHER_KEY", "other")
    Client(Endpoint(server.url, "OTHER_KEY"), "m1").ask(HELLO)
    assert server.calls[0].headers["Authorization"] == "Bearer other"


@pytest.mark.parametrize(
    ("message", "dropped", "kept"),
    [
        ("'response_format.type' must be 'text'", "response_format", {"temperature", "max_tokens"}),
        ("response_format is not supported", "response_format", {"temperature", "max_tokens"}),
        ("Unsupported value: 'temperature'", "temperature", {"max_tokens", "response_format"}),
        (
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.",
            "max_tokens",
            {"temperature", "max_completion_tokens", "response_format"},
        ),
    ],
)
def test_client_drops_a_parameter_that_is_not_taken(
    server: Server, client: Client, message: str, dropped: str, kept: set[str]
) -> None:
    server.replies = [fail(400, message), say(GOOD)]
    client.ask(HELLO)
    client.ask(HELLO)
    asked = [set(call.body) - {"model", "messages"} for call in server.calls]
    assert asked[1:] == [kept, kept]
    assert client.dropped == {dropped}
    assert client.retries == 0


def test_client_keeps_a_limit_that_is_too_large_for_one_text(server: Server, client: Client) -> None:
    server.replies = [fail(400, "'max_tokens' is too large: the context holds 512")]
    with pytest.raises(RefusedError, match="too large"):
        client.ask(HELLO)
    assert client.dropped == set()
    assert len(server.calls) == 1


TROUBLES = {
    "busy": fail(429, "slow down"),
    "broken": fail(500),
    "gateway": Reply(502, "<html>Bad gateway</html>"),
    "overloaded": fail(529),
    "closed": Reply(close=True),
    "cut": Reply(body=say(GOOD).body, lost=7),
    "no JSON": Reply(body="<html>Welcome to the hotel Wi-Fi</html>"),
    "no chat": Reply(body='{"models": []}'),
    "no object": Reply(body="[1]"),
    "error with status 200": Reply(body='{"error": {"message": "overloaded"}}'),
    "deep": Reply(body="[" * 100_000),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_client_tries_again_after_trouble(
    server: Server, client: Client, waits: list[float], trouble: str
) -> None:
    server.replies = [TROUBLES[trouble], TROUBLES[trouble], say(GOOD)]
    assert client.ask(HELLO).text == GOOD
    assert client.retries == 2
    assert len(waits) == 2


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [
        ("busy", "status 429: 'slow down'"),
        ("gateway", "status 502: '<html>Bad gateway</html>'"),
        ("no JSON", "found '<html>Welcome to the hotel Wi-Fi</html>': expected a chat completion"),
        ("error with status 200", "found 'overloaded'"),
    ],
)
def test_client_gives_up_after_its_tries_and_says_why(
    server: Server, client: Client, trouble: str, reason: str
) -> None:
    client.tries = 3
    server.replies = [TROUBLES[trouble]]
    with pytest.raises(EndpointError) as caught:
        client.ask(HELLO)
    assert f"model 'm1': no answer in 3 tries: {reason}" in str(caught.value)
    assert "answers so far are kept" in str(caught.value)
    assert len(server.calls) == 3


@pytest.mark.parametrize(
    "slow", [Reply(delay_s=5), Reply(body=say(GOOD).body, drip_s=0.02)], ids=["late", "drop by drop"]
)
def test_client_does_not_wait_for_slow_answers(server: Server, client: Client, slow: Reply) -> None:
    client.timeout_s = 0.2
    server.replies = [slow, say(GOOD)]
    assert client.ask(HELLO).text == GOOD
    assert client.retries == 1


def test_client_says_that_an_answer_was_too_slow(server: Server, client: Client) -> None:
    client.timeout_s, client.tries = 0.1, 1
    server.replies = [Reply(delay_s=5)]
    with pytest.raises(EndpointError, match=r"no whole answer within 0\.1 s"):
        client.ask(HELLO)


def test_client_says_that_nobody_listens(server: Server, client: Client) -> None:
    # port 9 is that of the discard service, which no machine offers any more
    client.endpoint = Endpoint("http://127.0.0.1:9/v1")
    with pytest.raises(EndpointError, match=r"no answer in 6 tries: .*refused"):
        client.ask(HELLO)


def test_client_pauses_twice_as_long_each_time_with_jitter(
    server: Server, client: Client, waits: list[float]
) -> None:
    client.tries = 9
    server.replies = [fail(503)]
    with pytest.raises(EndpointError):
        client.ask(HELLO)
    longest = [1, 2, 4, 8, 16, 32, 60, 60]
    assert all(most / 2 <= wait <= most for wait, most in zip(waits, longest, strict=True))
    assert len({wait / most for wait, most in zip(waits, longest, strict=True)}) == len(longest)


def test_client_waits_as_long_as_it_is_asked_to(server: Server, client: Client, waits: list[float]) -> None:
    server.replies = [fail(429, Retry_After="17"), say(GOOD)]
    client.ask(HELLO)
    assert waits == [17.0]


def test_client_does_not_wait_for_hours(server: Server, client: Client, waits: list[float]) -> None:
    server.replies = [fail(429, "quota used up", Retry_After="7200")]
    with pytest.raises(EndpointError, match=r"asks to wait 7,200 s: status 429: 'quota used up'; try later"):
        client.ask(HELLO)
    assert waits == []


def test_retry_after_may_be_a_date() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    assert 85 < read_wait(date) <= 90


@pytest.mark.parametrize("header", ["-5", "nan", "inf", "soon", "", "9" * 400, "1e9"])
def test_retry_after_that_makes_no_sense_counts_as_none(header: str) -> None:
    assert read_wait(header) == 0
    assert math.isfinite(read_wait(header))


@pytest.mark.parametrize("status", [401, 403])
def test_client_names_the_variable_of_a_wrong_key(server: Server, client: Client, status: int) -> None:
    server.replies = [fail(status, "bad key")]
    with pytest.raises(ConfigError) as caught:
        client.ask(HELLO)
    assert f"status {status}: 'bad key'" in str(caught.value)
    assert "the key of environment variable OPENAI_API_KEY is not accepted" in str(caught.value)
    assert "set OPENAI_API_KEY to a key of this endpoint, or name another with --key-variable" in str(
        caught.value
    )
    assert len(server.calls) == 1


def test_client_says_that_the_key_is_missing(
    server: Server, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    server.replies = [fail(401)]
    with pytest.raises(ConfigError, match="variable OPENAI_API_KEY is missing"):
        client.ask(HELLO)


@pytest.mark.parametrize(
    ("reply", "kind", "message"),
    [
        (fail(404, "no model m1"), ConfigError, "'no model m1': expected a model that is there"),
        (fail(400, "too long"), RefusedError, "status 400: 'too long'"),
        (Reply(413, "large"), RefusedError, "status 413: 'large'"),
        (fail(402, "no money"), EndpointError, "status 402: 'no money': expected status 200"),
        (Reply(204), EndpointError, "status 204"),
    ],
)
def test_client_does_not_repeat_what_is_refused(
    server: Server, client: Client, reply: Reply, kind: type[AspectlabError], message: str
) -> None:
    server.replies = [reply]
    with pytest.raises(kind) as caught:
        client.ask(HELLO)
    assert message in str(caught.value)
    assert len(server.calls) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_client_carries_no_key_to_another_host(server: Server, client: Client, status: int) -> None:
    with Server() as other:
        server.replies = [Reply(status, headers={"Location": other.url})]
        with pytest.raises(ConfigError) as caught:
            client.ask(HELLO)
        other.timeout = 0.05
        other.handle_request()
        assert other.calls == []
    assert f"it redirects to '{other.url}'; name that address with --endpoint" in str(caught.value)


def test_client_that_is_stopped_asks_nothing(server: Server, client: Client) -> None:
    client.stop.set()
    with pytest.raises(EndpointError):
        client.ask(HELLO)
    assert server.calls == []


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        (say(None), ChatAnswer("", prompt_tokens=100, completion_tokens=20)),
        (say("{", finish="length"), ChatAnswer("{", True, 100, 20)),
        (say("x", usage={}), ChatAnswer("x")),
        (say("x", usage={"prompt_tokens": "7", "completion_tokens": -1}), ChatAnswer("x")),
    ],
)
def test_client_reads_odd_answers(server: Server, client: Client, reply: Reply, answer: ChatAnswer) -> None:
    server.replies = [reply]
    assert client.ask(HELLO) == answer
