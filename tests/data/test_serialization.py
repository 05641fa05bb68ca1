"""The JSON object of an example: exact round trip, and an error that names the key."""

import json

import pytest
from hypothesis import given

from aspectlab.data import Example, Intensity, Quad
from aspectlab.data.corpus import example_from_dict, example_to_dict
from aspectlab.errors import DataError
from tests.support.examples import examples

MILD = Intensity(6.25, 3.0)


@given(examples())
def test_canonical_form_gives_the_same_example_back(example: Example) -> None:
    assert example_from_dict(json.loads(json.dumps(example_to_dict(example)))) == example


def test_canonical_form_keeps_the_confidence() -> None:
    example = Example("1", "Tea.", (Quad(category="food", confidence={"positive": 0.75}),))
    assert example_from_dict(example_to_dict(example)).quads[0].confidence == {"positive": 0.75}


def test_canonical_form_of_a_quad_without_intensity_has_no_such_key() -> None:
    # files of other corpora stay what they were, byte for byte
    plain, intense = (Example("1", "Tea.", (Quad(category="tea", intensity=i),)) for i in (None, MILD))
    assert json.dumps(example_to_dict(plain)["quads"]) == (
        '[{"aspect": null, "category": "tea", "opinion": null, "polarity": null}]'
    )
    assert json.dumps(example_to_dict(intense)["quads"]) == (
        '[{"aspect": null, "category": "tea", "opinion": null, "polarity": null, '
        '"intensity": {"valence": 6.25, "arousal": 3.0}}]'
    )


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
        (
            {"quads": [{"intensity": {"valence": 5}}]},
            "found the keys 'valence': expected valence and arousal",
        ),
        ({"quads": [{"intensity": {"valence": 5, "arousal": 5, "x": 5}}]}, "expected valence and arousal"),
        ({"quads": [{"intensity": {"valence": 5, "arousal": float("nan")}}]}, "expected finite numbers"),
        ({"quads": [{"intensity": "5#5"}]}, "key 'intensity': found '5#5': expected an object of numbers"),
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
