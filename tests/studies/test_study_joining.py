"""Joined corpora: everything else of a corpus helps, and nothing that it is judged by is seen."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="studies need the extra 'train'")

from driver import read_split
from join import join, main

from aspectlab.data import Corpus, Example, Part
from aspectlab.readers import read, write


def corpus(name: str, *texts: str) -> Corpus:
    examples = tuple(Example(str(number), text) for number, text in enumerate(texts, 1))
    return Corpus(name, "en", frozenset({Part.ASPECT}), examples)


def test_join_leaves_out_what_is_known_or_held_out() -> None:
    own, held_out = corpus("own", "Good tea"), corpus("dev", "The soup was cold and bland.")
    first = corpus("first", "GOOD TEA!", "Ask for the soup was cold and bland", "Fine rolls")
    second = corpus("second", "fine rolls", "A rude waiter")
    joined = list(join(own.examples, [first, second], held_out.examples))
    assert [example.id for example in joined] == ["1", "first:3", "second:2"]


def test_join_keeps_variants_with_their_originals() -> None:
    other = corpus("other", "Good tea").with_examples([Example("2", "Bad tea", source="1", variant="revtgt")])
    (joined,) = join([], [other], [])
    assert (joined.id, joined.source, joined.variant) == ("other:2", "other:1", "revtgt")


def test_joined_corpus_is_tested_as_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(corpus("cafe", *(f"Tea number {n}" for n in range(20))), tmp_path / "cafe-train.jsonl", "jsonl")
    write(corpus("cafe", "Good rolls"), tmp_path / "cafe-test.jsonl", "jsonl")
    write(corpus("shop", "good rolls", "Nice shirts"), tmp_path / "shop-train.jsonl", "jsonl")
    _, parts = read_split(tmp_path, "cafe", {1})
    arguments = ["--corpora", str(tmp_path), "--name", "cafe", "--others", "shop"]
    monkeypatch.setattr(sys, "argv", ["join.py", *arguments])
    main()
    train, dev, test = (read(tmp_path / f"cafe-joint-{part}.jsonl") for part in ("train", "dev", "test"))
    own = read(tmp_path / "cafe-train.jsonl").examples
    assert list(dev) == [own[place] for place in parts[1][1]]
    assert [example.text for example in train] == [own[place].text for place in parts[1][0]] + ["Nice shirts"]
    assert test == read(tmp_path / "cafe-test.jsonl")
