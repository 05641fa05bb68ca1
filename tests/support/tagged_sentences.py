"""Tagged sentences written by hand: "The/DT soup/NN is/VBZ good/JJ ./." with the opinions of each aspect."""

from collections.abc import Mapping, Sequence

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.language.parsing import TaggedWord
from aspectlab.robustness.aspects import AspectSentence, find_aspects

Opinions = Mapping[str, tuple[str, Sequence[str]]]
"""By aspect term: its polarity, and its opinion phrases; the first place of each in the text counts."""

ATTACHED = {".", ",", "!", "?", ";", "n't", "'s"}


def sketch(tagged: str, opinions: Opinions) -> AspectSentence:
    words: list[TaggedWord] = []
    text = ""
    for item in tagged.split(" "):
        word, _, tag = item.rpartition("/")
        text += "" if not text or word in ATTACHED else " "
        words.append(TaggedWord(word, Span(len(text), len(text) + len(word)), tag))
        text += word
    quads = [
        Quad(place(text, aspect), None, place(text, phrase), Polarity(polarity))
        for aspect, (polarity, phrases) in opinions.items()
        for phrase in phrases
    ]
    example = Example("7", text, tuple(quads))
    return AspectSentence(example, find_aspects(example, None), tuple(words))


def place(text: str, phrase: str) -> Term:
    start = text.index(phrase)
    return Term(phrase, Span(start, start + len(phrase)))
