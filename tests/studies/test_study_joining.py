"""A joined corpus: learnt from others as well, tested as its own."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="studies need the extra 'train'")

from driver import read_split
from join import main

from aspectlab.data import Corpus, Example, Part
from aspectlab.readers import read, write


def corpus(name: str, *texts: str) -> Corpus:
    examples = tuple(Example(str(number), text) for number, text in enumerate(texts, 1))
    return Corpus(name, "en", frozenset({Part.ASPECT}), examples)


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
