"""Sentences of test sets are found in other text, whatever its case, marks and blanks."""

import pytest

from aspectlab.data import Exclusion

TEST = ["The lentil soup came cold and far too late.", "Delicious!", "¿Café? Sí, gracias, pero muy caro."]


@pytest.mark.parametrize(
    "line",
    [
        "The lentil soup came cold and far too late.",
        "the LENTIL soup came cold -- and far too late",  # case and marks
        "The lentilsoup came cold and far too late !",  # blanks
        "Last week. The lentil soup came cold and far too late. Never again.",  # within a review
        "delicious",  # a short one as the whole line
        "CAFÉ, sí gracias pero muy caro!",
    ],
)
def test_exclusion_finds_test_sentences(line: str) -> None:
    assert line in Exclusion(TEST)


@pytest.mark.parametrize(
    "line",
    [
        "The lentil soup came cold and far too",
        "The soup was delicious, the tea was not.",  # a short one gives nothing away inside a review
        "",
        "…",
    ],
)
def test_exclusion_lets_other_text_pass(line: str) -> None:
    assert line not in Exclusion([*TEST, "", "…"])


def test_exclusion_of_sentences_with_one_start_finds_both() -> None:
    start = "The lentil soup that we ordered"
    leaked = Exclusion([f"{start} was cold.", f"{start} was warm."])
    assert f"Well, {start} was warm, yes" in leaked
    assert f"Well, {start} was gone" not in leaked
