"""Joined corpora: the others help to learn one, and nothing that it is judged by is seen."""

from aspectlab.data import Corpus, Example, Part, join


def corpus(name: str, *texts: str) -> Corpus:
    examples = tuple(Example(str(number), text) for number, text in enumerate(texts, 1))
    return Corpus(name, "en", frozenset({Part.ASPECT}), examples)


def test_join_leaves_out_what_is_known_or_held_out() -> None:
    own, held_out = corpus("own", "Good tea"), corpus("dev", "The soup was cold and bland.")
    first = corpus("first", "GOOD TEA!", "Ask why the soup was cold and bland", "Fine rolls")
    second = corpus("second", "fine rolls", "A rude waiter")
    joined = join(own, [first, second], [held_out])
    assert [[example.id for example in part] for part in joined] == [["1"], ["2:3"], ["3:2"]]
    assert [part.name for part in joined] == ["own", "first", "second"]


def test_join_keeps_what_one_corpus_says_twice() -> None:
    # corpora of one record for each aspect repeat the text
    own, other = corpus("own", "Good tea", "Good tea"), corpus("other", "Fine rolls", "Fine rolls")
    assert [len(part) for part in join(own, [other])] == [2, 2]


def test_join_keeps_variants_with_their_originals() -> None:
    other = corpus("other").with_examples([Example("2", "Bad tea", source="1", variant="revtgt")])
    _, joined = join(corpus("own", "Good tea"), [other])
    assert joined.examples == (Example("2:2", "Bad tea", source="2:1", variant="revtgt"),)
