"""The wording of generated REVTGT variants beside that of the released, human-checked Restaurant set.

72 % and 0.60 are what the generator was asked to reach there. The antonyms were chosen with this set in view,
so the figures say nothing about other texts; the test that hides what was chosen says a little.
"""

import re
from difflib import SequenceMatcher
from pathlib import Path

import pytest

from aspectlab.data import Corpus, Example
from aspectlab.language import antonyms
from aspectlab.language.wordnet import find_wordnet
from aspectlab.readers import read
from aspectlab.robustness.generator import Generation, generate

pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")
pytest.importorskip("spacy", reason="needs pip install 'aspectlab[parse]'")

Triple = tuple[str, str, str]


@pytest.fixture(scope="module")
def texts(restaurant: tuple[Generation, Corpus]) -> list[Triple]:
    """Source, generated and released text of each variant that both sets have."""
    return pair_up(*restaurant)


def pair_up(generation: Generation, released: Corpus) -> list[Triple]:
    sources = {example.id: example.text for example in generation.corpus if example.source is None}
    known = {example.id: example.text for example in released}

    def find_texts(example: Example) -> Triple:
        return sources[example.source or ""], example.text, known[example.id]

    made = [example for example in generation.corpus if example.variant == "revtgt"]
    return [find_texts(example) for example in made if example.id in known]


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


@pytest.mark.slow
def test_revtgt_does_not_live_on_the_tables_alone(
    real_data: Path, restaurant: tuple[Generation, Corpus], monkeypatch: pytest.MonkeyPatch
) -> None:
    if find_wordnet() is None:
        pytest.skip("WordNet is not installed: apt install wordnet-base")
    names = ("test_sent_towe", "train_sent_towe")
    towe, train = (read(real_data / "arts" / "src_data" / "rest" / f"{name}.json") for name in names)
    words = {word for example in towe for word in re.findall(r"[a-z]+", example.text.lower())}
    table = {entry: found for entry, found in antonyms.antonym_table().items() if entry[0] not in words}
    monkeypatch.setattr(antonyms, "antonym_table", lambda: table)
    monkeypatch.setattr(antonyms, "collocation_table", dict)
    texts = pair_up(generate(towe, train, strategies=["revtgt"]), restaurant[1])
    # 60 % before unknown words were treated as the released sets do
    assert sum(letters(new) == letters(old) for _, new, old in texts) / len(texts) >= 0.63
