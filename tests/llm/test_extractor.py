"""Opinions of a whole corpus from a stand-in endpoint: order, repeated questions, interruption, account."""

import json
import time
from dataclasses import asdict, replace

import pytest

from aspectlab.data import Part, Polarity, Quad, Span, Term
from aspectlab.errors import ConfigError, EndpointError
from aspectlab.llm import AnswerCache, Budget, Client, Prices, extract
from aspectlab.llm.client import RefusedError
from aspectlab.progress import Progress
from tests.support.chat_endpoint import GOOD, Call, Reply, Server, fail, make_corpus, say

REPORT_KEYS = [
    *["model", "endpoint", "task", "shots", "examples", "predictions", "requests", "cached", "retries"],
    *["asked_again", "records_dropped", "malformed", "refused", "parameters_dropped", "prompt_tokens"],
    *["completion_tokens", "answers_without_tokens", "cost"],
]


def answer_by_text(call: Call) -> Reply:
    """Name the last word as the aspect and the first as what is said of it."""
    first, *_, last = call.text.split()
    return say(json.dumps({"triplets": [{"aspect": last, "opinion": first, "polarity": "negative"}]}))


def aspects(corpus: object) -> list[list[str]]:
    return [[quad.aspect.text for quad in example.quads] for example in corpus]  # type: ignore[attr-defined]


def test_extract_puts_quads_where_they_stand(server: Server, client: Client) -> None:
    found = extract(make_corpus("Very nice tea."), client)
    place = Quad(Term("tea", Span(10, 13)), None, Term("nice", Span(5, 9)), Polarity.POSITIVE)
    assert found.corpus.examples[0].quads == (place,)
    assert found.corpus.annotates == {Part.ASPECT, Part.OPINION, Part.POLARITY}


def test_extract_of_pairs_asks_for_pairs(server: Server, client: Client) -> None:
    server.replies = [say('{"pairs": [{"aspect": "tea", "polarity": "neutral"}]}')]
    found = extract(make_corpus("Some tea"), client, task="e2e")
    assert found.corpus.examples[0].quads == (
        Quad(aspect=Term("tea", Span(5, 8)), polarity=Polarity.NEUTRAL),
    )
    assert found.corpus.annotates == {Part.ASPECT, Part.POLARITY}
    assert '{"pairs": []}' in server.calls[0].messages[0]["content"]


def test_extract_keeps_the_order_of_many_threads(server: Server, client: Client) -> None:
    texts = [f"cold tea{number}" for number in range(30)]

    def answer_late(call: Call) -> Reply:
        # the first questions are answered last
        return replace(answer_by_text(call), delay_s=0.03 if int(call.text[8:]) < 8 else 0)

    server.choose = answer_late
    found = extract(make_corpus(*texts), client, concurrency=8)
    assert aspects(found.corpus) == [[text.split()[1]] for text in texts]


def test_extract_asks_several_questions_at_once(server: Server, client: Client) -> None:
    server.replies = [replace(say(GOOD), delay_s=0.2)]
    begin = time.monotonic()
    extract(make_corpus(*(f"tea {number}" for number in range(8))), client, concurrency=8)
    assert time.monotonic() - begin < 4 * 0.2


def test_extract_asks_about_equal_texts_once_and_never_about_blanks(server: Server, client: Client) -> None:
    found = extract(make_corpus("nice tea", "", "nice tea", " \n"), client)
    assert len(server.calls) == 1
    assert aspects(found.corpus) == [["tea"], [], ["tea"], []]


def test_extract_of_nothing_asks_nothing(server: Server, client: Client) -> None:
    report = extract(make_corpus(), client, budget=Budget(Prices(1, 1))).report
    assert (report.examples, report.requests, report.cost) == (0, 0, 0.0)


@pytest.mark.parametrize(
    "text", ["👍🏽 tea", "شاي لذيذ", "tea \ud83d", "tea " * 5000, "a\x00b", "{triplets}"]
)
def test_extract_takes_any_text(server: Server, client: Client, cache: AnswerCache, text: str) -> None:
    extract(make_corpus(text), client, cache=cache, budget=Budget(Prices(1, 1), 10))
    assert server.calls[0].text == text
    assert extract(make_corpus(text), client, cache=cache).report.cached == 1


def test_extract_tells_the_model_what_was_wrong(server: Server, client: Client) -> None:
    server.replies = [say("The tea is nice."), say(f"```json\n{GOOD}\n```")]
    found = extract(make_corpus("nice tea"), client)
    assert aspects(found.corpus) == [["tea"]]
    said, request = server.calls[1].messages[-2:]
    assert said == {"role": "assistant", "content": "The tea is nice."}
    assert "cannot be used: it is no JSON" in request["content"]
    assert (found.report.asked_again, found.report.malformed, found.report.requests) == (1, (), 2)


def test_extract_counts_a_second_malformed_answer_as_empty(server: Server, client: Client) -> None:
    server.replies = [say("Well."), say('{"triplets": 7}')]
    found = extract(make_corpus("nice tea", "nice tea"), client)
    assert aspects(found.corpus) == [[], []]
    assert len(server.calls) == 2
    reason = "it is no JSON object with a list under the key 'triplets'"
    problems = [{"id": "0", "reason": reason}, {"id": "1", "reason": reason}]
    assert [asdict(problem) for problem in found.report.malformed] == problems


def test_extract_counts_terms_that_do_not_stand_in_the_text(server: Server, client: Client) -> None:
    found = extract(make_corpus("nice tea", "nice coffee"), client)
    assert aspects(found.corpus) == [["tea"], []]
    assert found.report.records_dropped == 1


def test_extract_finds_everything_in_the_cache_the_second_time(
    server: Server, client: Client, cache: AnswerCache
) -> None:
    server.choose = lambda call: say("Well.") if "awful" in call.messages[1]["content"] else say(GOOD)
    corpus = make_corpus("nice tea", "awful tea")
    first = extract(corpus, client, cache=cache)
    server.choose = None
    server.replies = [fail(500)]
    second = extract(corpus, client, cache=cache)
    assert second.corpus == first.corpus
    assert (first.report.requests, first.report.cached) == (3, 0)
    assert (second.report.requests, second.report.cached, second.report.prompt_tokens) == (0, 3, 0)
    assert second.report.malformed == first.report.malformed


def test_extract_finds_answers_of_another_endpoint(
    server: Server, client: Client, cache: AnswerCache
) -> None:
    extract(make_corpus("nice tea"), client, cache=cache)
    client.endpoint = replace(client.endpoint, url="http://127.0.0.1:9/v1")
    assert extract(make_corpus("nice tea"), client, cache=cache).report.cached == 1


def test_extract_goes_on_after_a_failure(server: Server, client: Client, cache: AnswerCache) -> None:
    corpus = make_corpus(*(f"nice tea {number}" for number in range(9)))
    server.replies = [*[say(GOOD)] * 4, fail(401)]
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        extract(corpus, client, cache=cache, concurrency=1)
    # the one who noticed was the only thread, so nothing was sent after the refusal
    assert len(server.calls) == 5
    server.replies = [say(GOOD)]
    found = extract(corpus, client, cache=cache)
    assert (found.report.cached, found.report.requests) == (4, 5)
    assert aspects(found.corpus) == [["tea"]] * 9


def test_extract_keeps_what_is_under_way_when_interrupted(
    server: Server, client: Client, cache: AnswerCache
) -> None:
    corpus = make_corpus(*(f"nice tea {number}" for number in range(40)))

    def interrupt(progress: Progress[None]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        extract(corpus, client, cache=cache, concurrency=4, progress=interrupt)
    asked = len(server.calls)
    assert asked < 40
    found = extract(corpus, client, cache=cache)
    assert (found.report.cached, found.report.requests) == (asked, 40 - asked)


def test_extract_ends_pauses_when_it_fails(server: Server, client: Client) -> None:
    client.wait = None  # really wait
    server.choose = lambda call: fail(401) if call.text == "bad" else fail(429, Retry_After="60")
    begin = time.monotonic()
    with pytest.raises(ConfigError, match="status 401"):
        extract(make_corpus("a", "b", "bad"), client, concurrency=3)
    assert time.monotonic() - begin < 10


def test_extract_does_not_take_a_dead_endpoint_for_empty_answers(server: Server, client: Client) -> None:
    server.replies = [say(GOOD), fail(500)]
    with pytest.raises(EndpointError, match="no answer in 6 tries"):
        extract(make_corpus("nice tea", "cold tea"), client, concurrency=1)


def test_extract_goes_on_without_a_refused_text(server: Server, client: Client) -> None:
    server.choose = lambda call: fail(400, "content filter") if "rude" in call.text else say(GOOD)
    found = extract(make_corpus("rude tea", "nice tea"), client, concurrency=1)
    assert aspects(found.corpus) == [[], ["tea"]]
    assert [problem.id for problem in found.report.refused] == ["0"]
    assert "status 400: 'content filter'" in found.report.refused[0].reason


def test_extract_goes_on_where_the_first_texts_are_too_long(server: Server, client: Client) -> None:
    server.choose = lambda call: fail(400, "too long") if "rude " * 9 in call.text else say(GOOD)
    texts = [*(f"{'rude ' * 9}{number}" for number in range(4)), *(f"nice tea {n}" for n in range(5))]
    found = extract(make_corpus(*texts), client, concurrency=1)
    assert len(found.report.refused) == 4
    assert aspects(found.corpus)[4:] == [["tea"]] * 5


@pytest.mark.parametrize("count", [1, 2, 7])
def test_extract_stops_where_every_text_is_refused(server: Server, client: Client, count: int) -> None:
    server.replies = [fail(400, "unknown model family")]
    with pytest.raises(
        RefusedError, match=r"unknown model family.*answered: none; check the model and --endpoint"
    ):
        extract(make_corpus(*(f"tea {number}" for number in range(count))), client, concurrency=1)
    assert len(server.calls) == min(count, 3)


def test_extract_stops_at_the_limit_and_goes_on_with_more(
    server: Server, client: Client, cache: AnswerCache
) -> None:
    corpus = make_corpus(*(f"nice tea {number}" for number in range(20)))
    # 100 tokens in and 20 out: 0.0001 + 0.0002 a question
    prices = Prices(1, 10)
    with pytest.raises(ConfigError, match="--max-cost"):
        extract(corpus, client, cache=cache, budget=Budget(prices, 0.0135))
    asked = len(server.calls)
    assert 0 < asked < 20
    found = extract(corpus, client, cache=cache, budget=Budget(prices, 1))
    assert found.report.cached == asked
    assert found.report.cost == pytest.approx((20 - asked) * 0.0003)


def test_extract_shows_the_shots(server: Server, client: Client) -> None:
    found = extract(make_corpus("nice tea"), client, shots=make_corpus("So be it").examples)
    assert [message["role"] for message in server.calls[0].messages] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    assert found.report.shots == 1


def test_report_accounts_for_everything(server: Server, client: Client) -> None:
    server.replies = [fail(429), fail(400, "response_format"), say(GOOD), say(GOOD, usage={})]
    found = extract(make_corpus("nice tea", "my tea"), client, concurrency=1, budget=Budget(Prices(1, 10)))
    assert asdict(found.report) == {
        "model": "m1",
        "endpoint": server.url,
        "task": "aste",
        "shots": 0,
        "examples": 2,
        "predictions": 1,
        "requests": 2,
        "cached": 0,
        "retries": 1,
        "asked_again": 0,
        "records_dropped": 1,
        "malformed": (),
        "refused": (),
        "parameters_dropped": ("response_format",),
        "prompt_tokens": 100,
        "completion_tokens": 20,
        "answers_without_tokens": 1,
        "cost": pytest.approx(0.0003),
    }
    assert list(asdict(found.report)) == REPORT_KEYS


@pytest.mark.parametrize(
    ("prices", "usage", "cost"),
    [(None, None, None), (Prices(2, 5), {}, None), (Prices(2, 5), None, 0.0003)],
    ids=["no prices", "no tokens", "both"],
)
def test_report_gives_a_cost_only_where_it_is_known(
    server: Server, client: Client, prices: Prices | None, usage: object, cost: float | None
) -> None:
    server.replies = [say(GOOD, usage=usage)]
    report = extract(make_corpus("nice tea"), client, budget=Budget(prices)).report
    assert report.cost == (None if cost is None else pytest.approx(cost))
