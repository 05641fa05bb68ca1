"""Bodies of many parts: what would keep the event loop busy is refused by looking at the bytes."""

import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import assume, given, strategies as st

from aspectlab.service.guard import Structure
from aspectlab.service.limits import MAX_KEYS, MAX_MARKS, MAX_STRINGS
from aspectlab.service.problems import Problem
from tests.support.service_process import HEADERS, Running

STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
KEYS = {f"{number:x}": 1 for number in range(150_000)}
MANY = {
    "unknown keys": json.dumps({"texts": ["x"], **KEYS}).encode(),
    "unknown options": json.dumps({"texts": ["x"], "options": KEYS}).encode(),
    "texts": json.dumps({"texts": [""] * 400_000}).encode(),
    "numbers": json.dumps({"texts": [1] * 600_000}).encode(),
    "objects": json.dumps({"texts": [{}] * 500_000}).encode(),
}


@pytest.mark.parametrize("name", MANY)
def test_body_of_very_many_parts_is_refused_before_it_is_parsed(service: Running, name: str) -> None:
    answer = service.ask("POST", "/v1/analyze", MANY[name], HEADERS)
    assert (answer.status, answer.code) == (422, "invalid_request")
    assert "body: more than 1,024 strings" in answer.json()["error"]["message"]


def test_bodies_of_very_many_keys_do_not_keep_others_waiting(service: Running) -> None:
    with ThreadPoolExecutor(6) as pool:
        asked = [
            pool.submit(service.ask, "POST", "/v1/analyze", MANY["unknown keys"], HEADERS) for _ in range(6)
        ]
        longest = 0.0
        while not all(one.done() for one in asked):
            start = time.perf_counter()
            service.ask("GET", "/healthz")
            longest = max(longest, time.perf_counter() - start)
    assert {one.result().status for one in asked} == {422}
    # it was seconds
    assert longest < 1


def test_body_in_utf_16_whose_parts_cannot_be_counted_is_refused(service: Running) -> None:
    answer = service.ask("POST", "/v1/analyze", '{"texts": ["x"]}'.encode("utf-16"), HEADERS)
    assert (answer.status, answer.code) == (400, "invalid_json")


@given(
    st.recursive(
        st.none() | st.integers() | st.text(alphabet='ab"\\\n😀{,:'),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(alphabet='ab"\\'), inner),
    ),
    st.lists(st.integers(0, 200)),
    st.booleans(),
)
def test_structure_counts_strings_and_marks_however_a_body_is_cut(
    value: object, cuts: list[int], is_ascii: bool
) -> None:
    body = json.dumps(value, ensure_ascii=is_ascii, indent=1).encode()
    marks = b"".join(STRING.sub(b"", body).split())
    assume(marks.count(b":") <= MAX_KEYS)
    structure = Structure()
    places = [0, *sorted(min(cut, len(body)) for cut in cuts), len(body)]
    for start, end in pairwise(places):
        structure.add(body[start:end])
    assert structure.strings == len(STRING.findall(body))
    assert structure.marks == len(marks)
    assert structure.keys == marks.count(b":")


@pytest.mark.parametrize(
    "body",
    [
        b'""' * MAX_STRINGS,
        b"1" * MAX_MARKS + b" " * 99_999,
        b'"' + b'\\"[' * 99_999 + b'"',
        b'"":' * MAX_KEYS + b'":::::"' * 99,
    ],
    ids=["strings", "marks and blanks", "one string of quotes", "keys and colons in strings"],
)
def test_structure_takes_what_is_within_its_bounds(body: bytes) -> None:
    Structure().add(body)


@pytest.mark.parametrize(
    "body",
    [b'""' * (MAX_STRINGS + 1), b"1" * (MAX_MARKS + 1), b'"":' * (MAX_KEYS + 1)],
    ids=["string", "mark", "key"],
)
def test_structure_refuses_one_part_too_many(body: bytes) -> None:
    with pytest.raises(Problem, match="more than 1,024 strings, 32 keys, or 16,384 other") as caught:
        Structure().add(body)
    assert (caught.value.status_code, caught.value.code) == (422, "invalid_request")
