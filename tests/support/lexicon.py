"""The sentence of the MATO paper's Table 1 with a lexicon of six words, tagged by hand."""

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.language import word_spans
from aspectlab.language.parsing import TaggedWord
from aspectlab.metamorphic.context import AppendedPhrase, RelationContext, TaggedExample

TEXT = "The screen is bright and the keyboard is nice."
TAGS = ["DT", "NN", "VBZ", "JJ", "CC", "DT", "NN", "VBZ", "JJ", "."]
SLOW = AppendedPhrase("windows 7", "slow", "train-1")


def term(word: str, text: str = TEXT) -> Term:
    start = text.index(word)
    return Term(word, Span(start, start + len(word)))


def triplet(aspect: str, opinion: str, polarity: str = "positive", text: str = TEXT) -> Quad:
    return Quad(term(aspect, text), None, term(opinion, text), Polarity(polarity))


SYNONYMS = {("nice", "ADJ"): ["good"], ("screen", "NOUN"): ["monitor"], ("bright", "ADJ"): ["clear"]}
ANTONYMS = {("nice", "ADJ"): ["bad"], ("bright", "ADJ"): ["unclear"]}
# homonyms, which must not be asked for
OTHERS = {("screen", "VERB"): ["hide"], ("nice", "NOUN"): ["city"]}


class ToyLexicon:
    """What Table 1 needs."""

    def synonyms(self, lemma: str, kind: str) -> list[str]:
        return {**SYNONYMS, **OTHERS}.get((lemma, kind), [])

    def antonyms(self, lemma: str, kind: str) -> list[str]:
        return ANTONYMS.get((lemma, kind), [])

    def hypernyms(self, lemma: str, kind: str) -> list[str]:
        return []


def tag(text: str, tags: list[str]) -> tuple[TaggedWord, ...]:
    spans = word_spans(text)
    return tuple(TaggedWord(text[s.start : s.end], s, t) for s, t in zip(spans, tags, strict=True))


EXAMPLE = Example("1", TEXT, (triplet("screen", "bright"), triplet("keyboard", "nice")))
SENTENCE = TaggedExample(EXAMPLE, tag(TEXT, TAGS))
MEANS = RelationContext(ToyLexicon(), {Polarity.NEGATIVE: [SLOW]})
