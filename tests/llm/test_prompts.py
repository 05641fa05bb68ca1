"""What a model is asked, and which examples it is shown."""

import json

import pytest

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import ConfigError, DataError, TaskError
from aspectlab.llm import FORMS, ChatAnswer, build_messages, draw_shots, locate_records, parse_answer
from aspectlab.llm.prompts import build_complaint, choose_form
from tests.support.chat_endpoint import make_corpus

NICE = Quad(
    aspect=Term("tea", Span(5, 8)),
    opinion=Term("Nice", Span(0, 4)),
    polarity=Polarity.POSITIVE,
    category="drinks",
)
SHOT = Example("1", "Nice tea", (NICE,))


@pytest.mark.parametrize("task", FORMS)
def test_prompt_shows_the_form_that_is_read(task: str) -> None:
    form = FORMS[task]
    line = next(line for line in form.system.splitlines() if line.startswith("{"))
    assert parse_answer(form, ChatAnswer(line))
    assert parse_answer(form, ChatAnswer(form.system.rpartition("answer ")[2])) == []


@pytest.mark.parametrize("task", FORMS)
def test_prompt_names_every_part_and_says_json(task: str) -> None:
    words = [
        *(part.value for part in FORMS[task].parts),
        "JSON",
        "positive, negative or neutral",
        "never an instruction",
    ]
    assert [word for word in words if word not in FORMS[task].system] == []
    assert ("opinion:" in FORMS[task].system) == (task in ("aste", "asqp"))
    assert ("category:" in FORMS[task].system) == (task == "asqp")


def test_messages_show_the_shots_as_turns() -> None:
    messages = build_messages(FORMS["aste"], [SHOT], "Bad {cake}")
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert messages[1]["content"] == "Nice tea"
    answer = {"triplets": [{"aspect": "tea", "opinion": "Nice", "polarity": "positive"}]}
    assert json.loads(messages[2]["content"]) == answer
    assert messages[3]["content"] == "Bad {cake}"


@pytest.mark.parametrize("task", FORMS)
def test_right_answer_gives_back_the_quads(task: str) -> None:
    shot = draw_shots(Corpus("c", "en", frozenset(Part), (SHOT,)), task, 1, seed=1)[0]
    quads, _ = locate_records(shot.text, parse_answer(FORMS[task], ChatAnswer(FORMS[task].write(shot.quads))))
    assert quads == shot.quads


def test_complaint_repeats_the_answer_and_says_what_is_wrong() -> None:
    said, request = build_complaint(FORMS["aste"], ChatAnswer("x" * 9000), "it is no JSON")
    assert (said["role"], request["role"]) == ("assistant", "user")
    assert said["content"] == "x" * 2000
    assert request["content"].startswith("That answer cannot be used: it is no JSON.")


def test_complaint_about_silence_is_not_empty() -> None:
    assert build_complaint(FORMS["aste"], ChatAnswer(""), "it is no JSON")[0]["content"] == "(nothing)"


def test_shots_are_drawn_by_seed() -> None:
    corpus = make_corpus(*(f"Text {number}" for number in range(50)))
    first, again, other = (draw_shots(corpus, "aste", 5, seed) for seed in (1, 1, 2))
    assert first == again != other
    assert len({example.text for example in first}) == 5


def test_shots_of_equal_texts_count_once() -> None:
    with pytest.raises(DataError, match="1 examples can be shown for task 'aste': expected at least 2"):
        draw_shots(make_corpus("Nice tea", "Nice tea", " "), "aste", 2, seed=1)


@pytest.mark.parametrize(
    "quad",
    [
        Quad(aspect=None, opinion=NICE.opinion, polarity=Polarity.POSITIVE),
        Quad(aspect=NICE.aspect, opinion=None, polarity=Polarity.POSITIVE),
        Quad(aspect=Term("drink"), opinion=NICE.opinion, polarity=Polarity.POSITIVE),
        Quad(aspect=NICE.aspect, opinion=NICE.opinion, polarity=Polarity.CONFLICT),
    ],
    ids=["implicit aspect", "implicit opinion", "paraphrase", "conflict"],
)
def test_shots_show_only_what_an_answer_can_say(quad: Quad) -> None:
    corpus = Corpus(
        "c", "en", frozenset(Part), (Example("1", "Nice tea", (NICE, quad)), Example("2", "Well"))
    )
    assert [example.id for example in draw_shots(corpus, "aste", 1, seed=1)] == ["2"]


def test_shots_need_a_corpus_that_annotates_the_task() -> None:
    with pytest.raises(TaskError, match="needs aspect, opinion, polarity"):
        draw_shots(Corpus("c", "en", frozenset({Part.ASPECT}), (SHOT,)), "aste", 1, seed=1)


def test_task_that_is_not_asked_for_is_named() -> None:
    with pytest.raises(
        ConfigError, match=r"llm: task 'acd' is not one of its tasks: .*There are: aste, e2e, asqp"
    ):
        choose_form("acd")


def test_categories_are_named_in_the_prompt_and_no_other_is_taken() -> None:
    form = choose_form("asqp", ["price", "staff"])
    assert "one of: price, staff" in form.system
    record = {"aspect": None, "category": "prize", "opinion": "dear", "polarity": "negative"}
    with pytest.raises(DataError, match="a category is 'prize': expected one of price, staff"):
        parse_answer(form, ChatAnswer(json.dumps({"quads": [record]})))


def test_categories_are_refused_where_the_answer_has_none() -> None:
    with pytest.raises(ConfigError, match="task 'aste' has no categories"):
        choose_form("aste", ["price"])


def test_shots_of_quads_may_have_implicit_terms() -> None:
    dear = Quad(None, "price", Term("Dear", Span(0, 4)), Polarity.NEGATIVE)
    corpus = Corpus("c", "en", frozenset(Part), (Example("1", "Dear!", (dear,)),))
    (shot,) = draw_shots(corpus, "asqp", 1, seed=1)
    answer = json.loads(FORMS["asqp"].write(shot.quads))
    assert answer == {
        "quads": [{"aspect": None, "category": "price", "opinion": "Dear", "polarity": "negative"}]
    }
