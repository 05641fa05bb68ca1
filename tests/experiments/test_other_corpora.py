"""Corpora that help: they come to the training part of every split, and nothing else changes."""

from dataclasses import replace
from pathlib import Path

from aspectlab.data import Part
from aspectlab.readers import write
from tests.support.studies import collect, make_corpus

WANTED = "others = ['more.jsonl']"


def write_more(folder: Path) -> None:
    """Eighteen new sentences, one of train in other letters, and one of the test set."""
    known = [make_corpus("TODAY").examples[0], make_corpus("Tonight").examples[0]]
    examples = (*make_corpus("Once").examples, *known)
    named = (replace(example, id=str(number)) for number, example in enumerate(examples))
    write(make_corpus("Once").with_examples(named), folder / "more.jsonl", "jsonl")


def test_every_split_learns_from_what_is_new_in_the_others(tmp_path: Path) -> None:
    write_more(tmp_path)
    (with_, problems), (without, _) = (collect(tmp_path, corpus) for corpus in (WANTED, ""))
    assert problems == []
    new = {example.text for example in make_corpus("Once")}
    for number, (train, dev) in with_.splits.items():
        own, held = without.splits[number]
        assert train[: len(own)] == own
        assert {with_.corpus.examples[place].text for place in train[len(own) :]} == new
        assert dev == held
    assert with_.corpus.name == "today + once"
    assert with_.key != without.key


def test_other_corpus_must_label_what_is_learnt(tmp_path: Path) -> None:
    corpus = make_corpus("Once")
    bare = [replace(example, quads=()) for example in corpus]
    write(
        replace(corpus.with_examples(bare), annotates=frozenset({Part.ASPECT})),
        tmp_path / "more.jsonl",
        "jsonl",
    )
    _, problems = collect(tmp_path, WANTED)
    assert any("today + once" in problem and "polarity" in problem for problem in problems), problems
