"""The wording of generated REVTGT variants beside that of the released, human-checked Restaurant set.

72 % and 0.60 are what the generator was asked to reach there. The antonyms were chosen with this set in view,
so the figures say nothing about other texts.
"""

import re
from difflib import SequenceMatcher

import pytest

from aspectlab.data import Corpus, Example
from aspectlab.robustness.generating import Generation

pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")
pytest.importorskip("spacy", reason="needs pip install 'aspectlab[parse]'")

Triple = tuple[str, str, str]


@pytest.fixture(scope="module")
def texts(restaurant: tuple[Generation, Corpus]) -> list[Triple]:
    """Source, generated and released text of each variant that both sets have."""
    generation, released = restaurant
    sources = {example.id: example.text for example in generation.corpus if example.source is None}
    known = {example.id: example.text for example in released}

    def pair_up(example: Example) -> Triple:
        return sources[example.source or ""], example.text, known[example.id]

    made = [example for example in generation.corpus if example.variant == "revtgt"]
    return [pair_up(example) for example in made if example.id in known]


def letters(text: str) -> str:
    return "".join(re.findall(r"[^\W\d_]", text.lower()))


def total_similarity(pairs: list[tuple[str, str]]) -> float:
    words = [[re.findall(r"\w+|[^\w\s]", text) for text in pair] for pair in pairs]
    return sum(SequenceMatcher(None, one, other, autojunk=False).ratio() for one, other in words)


@pytest.mark.slow
def test_revtgt_letters_are_those_of_the_released_set(texts: list[Triple]) -> None:
    assert len(texts) == 846
    assert sum(letters(new) == letters(old) for _, new, old in texts) / 846 >= 0.72


@pytest.mark.slow
def test_revtgt_edits_lead_towards_the_released_set(texts: list[Triple]) -> None:
    near = total_similarity([(new, old) for _, new, old in texts])
    far = total_similarity([(source, old) for source, _, old in texts])
    assert (near - far) / (len(texts) - far) >= 0.60
