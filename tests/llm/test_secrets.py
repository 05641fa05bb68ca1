"""The key is in no file, log, message or repr, whatever the endpoint does with it."""

import json
import logging
import traceback
from pathlib import Path

import pytest
from typer.testing import CliRunner

from aspectlab.cli.main import app
from aspectlab.errors import AspectlabError
from aspectlab.llm import AnswerCache, Client, extract
from tests.support.chat_endpoint import (
    GOOD,
    KEY,
    OUTSIDE,
    Call,
    Reply,
    Server,
    fail,
    make_corpus,
    say,
)

HALF = KEY[:12]
"""A message that is cut must not keep the start of the key either."""


def echo(call: Call) -> str:
    """What a careless endpoint says: the key in plain, and in another spelling of JSON."""
    return f"you sent {call.headers['Authorization']}"


def spelt(call: Call) -> str:
    return "".join(f"\\u{ord(sign):04x}" for sign in echo(call))


BEHAVIOURS = {
    "answers": lambda call: say(GOOD),
    "answers with the key": lambda call: say(echo(call)),
    "answers with the key at the end": lambda call: say(" " * 180 + echo(call)),
    "refuses with the key": lambda call: fail(400, "x" * 170 + echo(call)),
    "refuses with the key in escapes": lambda call: Reply(400, f'{{"error": "{spelt(call)}"}}'),
    "rejects the key": lambda call: fail(401, f"Incorrect API key: {echo(call)}"),
    "rejects with no JSON": lambda call: Reply(403, echo(call)),
    "fails with the key": lambda call: fail(500, echo(call)),
    "fails with no JSON": lambda call: Reply(503, echo(call) * 9),
    "speaks no chat": lambda call: Reply(body=json.dumps({"said": echo(call)})),
    "sends on with the key": lambda call: Reply(307, headers={"Location": f"http://x.example/{echo(call)}"}),
    "closes": lambda call: Reply(close=True),
    "is slow": lambda call: Reply(delay_s=5),
    "sends on to a file": lambda call: Reply(302, echo(call), {"Location": "file:///etc/passwd"}),
    "sends on to itself": lambda call: Reply(308, echo(call), {"Location": call.path}),
    "fails with the key in headers": lambda call: Reply(500, "no", {"X-Key": echo(call), "Retry-After": KEY}),
    "sets the key as a cookie": lambda call: Reply(503, "no", {"Set-Cookie": f"key={KEY}"}),
    "asks to wait for ever": lambda call: Reply(429, echo(call), {"Retry-After": "9" * 12}),
    "stops amid the key": lambda call: Reply(body=say(echo(call)).body, lost=len(KEY)),
    "drives the terminal": lambda call: fail(400, f"\x1b]0;{echo(call)}\x07\x1b[2J"),
    "nests deeply": lambda call: Reply(body="[" * 100_000 + echo(call)),
    "says that it is packed": lambda call: Reply(500, echo(call), {"Content-Encoding": "gzip"}),
    "answers a megabyte of keys": lambda call: say(echo(call) * 20_000),
    "answers with half a surrogate": lambda call: Reply(
        body=say("x").body.replace('"x"', '"\\ud800 ' + KEY + '"')
    ),
    "answers with the key for a count": lambda call: say(GOOD, usage={"prompt_tokens": echo(call)}),
    "answers with the key for a reason": lambda call: say(GOOD, finish=echo(call)),
}
BEHAVIOURS |= {
    f"answers with the key behind {what}": lambda call, text=text: say(f"{text} {echo(call)}")
    for what, text in OUTSIDE.items()
}


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_key_is_nowhere_after_the_endpoint(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture, behaviour: str
) -> None:
    caplog.set_level(logging.DEBUG)
    server.choose = BEHAVIOURS[behaviour]
    texts = tmp_path / "texts.jsonl"
    texts.write_text('{"id": "1", "text": "nice tea", "quads": []}\n', encoding="utf-8")
    words = [
        "predict",
        "llm:m1",
        texts,
        "--out",
        tmp_path / "out.jsonl",
        "--endpoint",
        server.url,
        "--tries",
        1,
    ]
    slow = ["--timeout-s", 0.3] if behaviour == "is slow" else []
    answer = CliRunner().invoke(app, [str(word) for word in (*words, *slow)])
    assert server.calls[0].headers["Authorization"] == f"Bearer {KEY}"
    said = [answer.output, caplog.text, *traceback.format_exception(answer.exception)]
    assert answer.exception is None or isinstance(answer.exception, SystemExit | AspectlabError)
    assert [text for text in said if HALF in text] == []
    assert "\x1b" not in answer.output
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path for path in written if HALF.encode() in path.read_bytes()] == []
    assert (answer.exit_code == 0) == (behaviour.startswith("answers"))


def test_key_is_not_in_the_repr_of_a_client(client: Client) -> None:
    assert KEY not in repr(client)
    assert "127.0.0.1" in repr(client)


def test_answer_that_repeats_the_key_is_kept_without_it(
    server: Server, client: Client, cache: AnswerCache
) -> None:
    server.choose = lambda call: say(echo(call))
    extract(make_corpus("nice tea"), client, cache=cache)
    kept = b"".join(path.read_bytes() for path in cache.path.parent.glob("answers.sqlite*"))
    assert b"you sent Bearer [key]" in kept
    assert KEY.encode() not in kept
