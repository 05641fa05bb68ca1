"""`aspectlab metamorphic test llm:MODEL` against a stand-in endpoint; numbers are counted by hand."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from aspectlab.cli.main import app
from aspectlab.errors import ConfigError
from tests.support.chat_endpoint import Call, Reply, Server, fail, say

TEXT = "The tea is good but the cup is dirty."
SWAPPED = "The tea is bad but the cup is dirty."
WORDS = [("tea", "good", "positive"), ("tea", "bad", "positive"), ("cup", "dirty", "negative")]


def quad(text: str, aspect: str, opinion: str, polarity: str) -> dict[str, object]:
    places = {
        name: {"text": term, "start": text.index(term), "end": text.index(term) + len(term)}
        for name, term in (("aspect", aspect), ("opinion", opinion))
    }
    return {**places, "category": None, "polarity": polarity}


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A source and one follow-up, in the form that `generate` writes."""
    followup = {
        "id": "1.MR2-4.0.0",
        "text": SWAPPED,
        "quads": [quad(SWAPPED, "tea", "bad", "negative")],
        "source": "1",
        "variant": "MR2-4 of 0: 11:15 good > bad (antonym)",
    }
    gold = [quad(TEXT, "tea", "good", "positive"), quad(TEXT, "cup", "dirty", "negative")]
    path = tmp_path / "followups.jsonl"
    path.write_text("\n".join(map(json.dumps, [{"id": "1", "text": TEXT, "quads": gold}, followup])))
    return path


def solve(call: Call) -> Reply:
    """Find the triplets by their words; "bad" is taken for praise."""
    found = [
        {"aspect": aspect, "opinion": opinion, "polarity": polarity}
        for aspect, opinion, polarity in WORDS
        if opinion in call.text
    ]
    return say(json.dumps({"triplets": found}))


def run(server: Server, made: Path, *options: object) -> Result:
    words = ["metamorphic", "test", "llm:m1", made, "--endpoint", server.url, "--json", *options]
    return CliRunner().invoke(app, [str(word) for word in words])


def test_metamorphic_test_asks_a_chat_model(server: Server, made: Path) -> None:
    server.choose = solve
    report = json.loads(run(server, made).stdout)
    assert (report["f1"], report["MR2-4"]["cases"], report["MR2-4"]["violations"]) == (1, 1, 1)
    assert report["MR2-4"]["failures"] == {"wrong polarity": 1}
    assert report["faults"] == {}
    # a second test asks nothing: the answers are kept
    asked = len(server.calls)
    assert json.loads(run(server, made).stdout) == report
    assert (asked, len(server.calls)) == (2, 2)


@pytest.mark.parametrize(
    ("reply", "fault", "message"),
    [
        (say("no idea"), "no answer: an error", "it is no JSON"),
        (fail(400, "not to my taste"), "no answer: an error", "not to my taste"),
        (Reply(delay_s=30), "no answer in time", "no whole answer within 0.8 s"),
        (Reply(close=True), "no answer in time", "no answer in 1 tries"),
    ],
    ids=["no JSON", "refused", "hangs", "lost"],
)
def test_metamorphic_test_goes_on_without_one_answer(
    server: Server, made: Path, reply: Reply, fault: str, message: str
) -> None:
    server.choose = lambda call: reply if SWAPPED in str(call.messages) else solve(call)
    result = run(server, made, "--timeout", 0.8, "--tries", 1)
    report = json.loads(result.stdout)
    assert report["f1"] == 1
    assert report["MR2-4"]["faults"] == {fault: 1}
    assert report["faults"][fault].startswith("example '1.MR2-4.0.0'")
    assert message in report["faults"][fault]


def test_metamorphic_test_refuses_a_key_at_once(server: Server, made: Path) -> None:
    server.choose = lambda call: fail(401, "wrong key")
    result = run(server, made)
    assert isinstance(result.exception, ConfigError)
    assert "is not accepted" in str(result.exception)


def test_metamorphic_test_refuses_an_endpoint_for_a_file(made: Path, server: Server) -> None:
    words = ["metamorphic", "test", str(made), str(made), "--endpoint", server.url]
    result = CliRunner().invoke(app, words)
    assert isinstance(result.exception, ConfigError)
    assert "expected llm:MODEL; leave the option out" in str(result.exception)


@pytest.mark.parametrize("option", ["--timeout-s", "--timeout"])
def test_metamorphic_test_refuses_a_time_that_no_clock_holds(server: Server, made: Path, option: str) -> None:
    assert (run(server, made, option, "inf").exit_code, server.calls) == (2, [])
