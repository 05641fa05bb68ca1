"""POST /v1/analyze: opinions at their places, one result a text, and clear refusals."""

import json

import pytest

from tests.support.quad_predictor import FAILED, NEVER, PRICEY
from tests.support.service_process import HEADERS, Running

SOUP = "The soup was lovely, but the waiter was curt."


def test_analyze_gives_opinions_at_their_places(service: Running) -> None:
    answer = service.analyze([SOUP])
    assert answer.status == 200
    (sentence,) = answer.json()["results"][0]["sentences"]
    assert (sentence["text"], sentence["start"], sentence["end"]) == (SOUP, 0, len(SOUP))
    # counted by hand
    assert sentence["opinions"] == [
        {
            "aspect": {"text": "soup", "start": 4, "end": 8},
            "category": None,
            "opinion": {"text": "lovely", "start": 13, "end": 19},
            "polarity": "positive",
            "probability": 0.9,
        },
        {
            "aspect": {"text": "waiter", "start": 29, "end": 35},
            "category": None,
            "opinion": {"text": "curt", "start": 40, "end": 44},
            "polarity": "negative",
            "probability": 0.9,
        },
    ]


def test_analyze_gives_null_for_what_is_not_named(service: Running) -> None:
    results = service.analyze([PRICEY, FAILED, NEVER]).json()["results"]
    found = [result["sentences"][0]["opinions"][0] for result in results]
    # counted by hand
    assert [(each["aspect"], each["category"], each["opinion"], each["probability"]) for each in found] == [
        (None, "RESTAURANT#PRICES", {"text": "Way too expensive", "start": 0, "end": 17}, 0.9),
        ({"text": "bed", "start": 27, "end": 30}, "ROOM#QUALITY", None, 0.7),
        (None, None, None, 0.4),
    ]


def test_analyze_offsets_count_characters_of_the_whole_text(service: Running) -> None:
    text = "Nice 🙂🙂. \n\nThe fan is loud. The bed was great!"
    (result,) = service.analyze([text]).json()["results"]
    found = [opinion for sentence in result["sentences"] for opinion in sentence["opinions"]]
    assert [text[o["aspect"]["start"] : o["aspect"]["end"]] for o in found] == ["fan", "bed"]
    assert [text[s["start"] : s["end"]] for s in result["sentences"]] == [
        s["text"] for s in result["sentences"]
    ]


def test_analyze_gives_one_result_a_text_in_order(service: Running) -> None:
    texts = ["The fan is loud.", "", "  ", "Nothing here", "The fan is loud.", "The tea was plain."]
    results = service.analyze(texts).json()["results"]
    found = [[o["polarity"] for s in result["sentences"] for o in s["opinions"]] for result in results]
    assert found == [["negative"], [], [], [], ["negative"], ["neutral"]]


@pytest.mark.parametrize(("least", "number"), [(0.9, 1), (0.91, 0), (1, 0)])
def test_analyze_leaves_out_what_is_less_sure(service: Running, least: float, number: int) -> None:
    (result,) = service.analyze(["The fan is loud."], min_probability=least).json()["results"]
    assert len(result["sentences"][0]["opinions"]) == number


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"texts": []},
        {"texts": "one text"},
        {"texts": [1]},
        {"texts": [None]},
        {"texts": [["nested"]]},
        {"texts": ["x"] * 257},
        {"texts": ["x" * 20_001]},
        {"texts": ["half a pair \ud800"]},
        {"texts": ["x"], "options": {"min_probability": 2}},
        {"texts": ["x"], "options": {"min_probability": float("nan")}},
        {"texts": ["x"], "options": {"min_probability": "0.5"}},
        {"texts": ["x"], "options": {"unknown": 1}},
        {"texts": ["x"], "text": ["x"]},
        ["x"],
        "x",
        None,
    ],
    ids=lambda body: json.dumps(body)[:40],
)
def test_analyze_refuses_what_the_interface_does_not_say(service: Running, body: object) -> None:
    answer = service.ask("POST", "/v1/analyze", json.dumps(body), HEADERS)
    assert (answer.status, answer.code) == (422, "invalid_request")
    assert len(answer.body) < 1000


@pytest.mark.parametrize(
    "body",
    [
        "{",
        '{"texts": [}',
        "",
        "\x00",
        '{"texts": ["\x00"]}',
        "[" * 100_000,
        "1" * 5000,
        b"\xff\xfe\x00",
        "\ufeff{}",
    ],
    ids=lambda body: repr(body)[:20],
)
def test_analyze_refuses_what_is_no_json(service: Running, body: str | bytes) -> None:
    answer = service.ask("POST", "/v1/analyze", body if isinstance(body, bytes) else body.encode(), HEADERS)
    assert answer.status in {400, 422}
    assert answer.code in {"invalid_json", "invalid_body", "invalid_request"}


def test_analyze_accepts_the_longest_request(service: Running) -> None:
    answer = service.analyze(["ab. " * 5_000] * 9 + ["x"] * 247)
    assert answer.status == 200
    assert len(answer.json()["results"]) == 256


def test_analyze_bounds_the_opinions_of_a_sentence(service: Running) -> None:
    # at most ten and a tenth of its characters
    (result,) = service.analyze(["many 5000" + "." * 91]).json()["results"]
    assert len(result["sentences"][0]["opinions"]) == 20


def test_analyze_refuses_more_text_than_one_request_may_have(service: Running) -> None:
    answer = service.analyze(["x" * 20_000] * 11)
    assert (answer.status, answer.code) == (413, "too_much_text")


def test_analyze_passes_hostile_text_through_as_text(service: Running) -> None:
    text = "<script>alert(1)</script> The fan is loud\u0000\u202e =cmd|' /C calc'!A0"
    answer = service.analyze([text])
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    sentences = answer.json()["results"][0]["sentences"]
    assert sentences[0]["text"] == text


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Content-Type": "text/plain"},
        HEADERS | {"Content-Encoding": "gzip"},
        HEADERS | {"Content-Encoding": "br"},
    ],
    ids=str,
)
def test_analyze_takes_plain_json_only(service: Running, headers: dict[str, str]) -> None:
    answer = service.ask("POST", "/v1/analyze", '{"texts": ["x"]}', headers)
    assert answer.status == 415
    assert answer.code in {"wrong_content_type", "packed_body"}
