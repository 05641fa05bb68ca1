"""The JSON object of an example: exact round trip, and an error that names the key."""

import json

import pytest
from hypothesis import given

from aspectlab.data import Example, Quad
from aspectlab.data.corpus import example_from_dict, example_to_dict
from aspectlab.errors import DataError
from tests.support.examples import examples


@given(examples())
def test_canonical_form_gives_the_same_example_back(example: Example) -> None:
    assert example_from_dict(json.loads(json.dumps(example_to_dict(example)))) == example


def test_canonical_form_keeps_the_confidence() -> None:
    example = Example("1", "Tea.", (Quad(category="food", confidence={"positive": 0.75}),))
    assert example_from_dict(example_to_dict(example)).quads[0].confidence == {"positive": 0.75}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": 7}, "key 'id': found 7: expected a string"),
        ({"text": None}, "key 'text': found None"),
        ({"quads": {}}, "key 'quads': found {}: expected a list"),
        ({"quads": ["tea"]}, "key 'quads': found 'tea': expected an object"),
        ({"quads": [{"polarity": "good"}]}, "found 'good': expected one of positive, negative"),
        ({"quads": [{"aspect": "tea"}]}, "key 'aspect': found 'tea'"),
        ({"quads": [{"aspect": {"text": "Tea", "start": True, "end": 3}}]}, "expected two whole numbers"),
        ({"quads": [{"aspect": {"text": "Tea", "start": 0}}]}, "expected two whole numbers"),
        ({"quads": [{"aspect": {"text": "Tea", "start": 1, "end": 4}}]}, "the text has 'ea.' there"),
        ({"quads": [{"confidence": {"positive": "high"}}]}, "expected an object of numbers"),
        ({"quads": [{"target": "tea"}]}, "unknown key 'target'"),
        ({"label": "positive"}, "unknown key 'label'"),
    ],
)
def test_canonical_form_names_the_key_that_is_wrong(change: dict[str, object], message: str) -> None:
    record = {"id": "1", "text": "Tea.", "quads": [], **change}
    with pytest.raises(DataError, match=message):
        example_from_dict(record)


@pytest.mark.parametrize("record", [None, [], "text", 7])
def test_canonical_form_refuses_what_is_no_object(record: object) -> None:
    with pytest.raises(DataError, match="expected an object with the keys id, text and quads"):
        example_from_dict(record)
