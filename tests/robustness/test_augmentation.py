"""Adversarial training data from sentences written by hand; expected sentences are hand-written too."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from aspectlab.cli.arts import augment as command
from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import ConfigError, DataError
from aspectlab.readers import read, write
from aspectlab.robustness.augmentation import augment, stages

pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")
pytest.importorskip("spacy", reason="needs pip install 'aspectlab[parse]'")

PARTS = frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY})
# id, text, aspect, opinion, polarity
ROWS = [
    ("t1", "The tea is good.", "tea", "good", Polarity.POSITIVE),
    ("t2", "The beds were cold.", "beds", "cold", Polarity.NEGATIVE),
    ("t3", "The porter was cold.", "porter", "cold", Polarity.NEGATIVE),
    ("t4", "The garden is good.", "garden", "good", Polarity.POSITIVE),
    ("t5", "We looked at the attic.", "attic", None, Polarity.NEUTRAL),
]


def term(text: str, words: str) -> Term:
    return Term(words, Span(text.index(words), text.index(words) + len(words)))


def make_corpus(name: str, *texts: str) -> Corpus:
    return Corpus(name, "en", PARTS, tuple(Example(f"x{n}", text) for n, text in enumerate(texts)))


@pytest.fixture
def train() -> Corpus:
    examples = []
    for id, text, aspect, opinion, polarity in ROWS:
        quad = Quad(term(text, aspect), None, term(text, opinion) if opinion else None, polarity)
        examples.append(Example(id, text, (quad,)))
    return Corpus("train", "en", PARTS, tuple(examples))


def texts_of(corpus: Corpus, variant: str | None) -> list[str]:
    return [example.text for example in corpus if example.variant == variant]


def test_augment_adds_reversed_sentences_with_the_other_label(train: Corpus) -> None:
    made = augment(train, strategies=["revtgt"]).corpus
    assert texts_of(made, None) == [row[1] for row in ROWS]
    expected = ["The tea is bad.", "The beds were hot.", "The porter was hot.", "The garden is bad."]
    assert texts_of(made, "revtgt") == expected
    assert [e.quads[0].polarity for e in made if e.variant] == [
        "negative",
        "positive",
        "positive",
        "negative",
    ]


def test_augment_variant_names_its_original(train: Corpus) -> None:
    variants = [example for example in augment(train, strategies=["revtgt"]).corpus if example.variant]
    assert [example.source for example in variants] == ["t1_0", "t2_0", "t3_0", "t4_0"]


def test_augment_counts_the_terms_without_opinions(train: Corpus) -> None:
    skips = augment(train, strategies=["revtgt"]).skips
    assert [(skip.id, skip.reason) for skip in skips] == [("t5_0", "no opinion words")]


@pytest.mark.parametrize(("ratio", "count"), [(0.2, 1), (0.6, 3), (2.0, 4), (None, 4)])
def test_augment_ratio_is_variants_per_original_at_most(
    train: Corpus, ratio: float | None, count: int
) -> None:
    # five originals; four of them can be reversed
    made = augment(train, strategies=["revtgt"], ratio=ratio)
    assert made.count_variants()["revtgt"] == count


def test_augment_one_seed_gives_one_corpus(train: Corpus) -> None:
    draws = [augment(train, ratio=0.6, seed=seed).corpus.sha256 for seed in (3, 3, 4)]
    assert draws[0] == draws[1] != draws[2]


def test_augment_refuses_a_test_sentence_in_train(train: Corpus) -> None:
    test = make_corpus("test", "Nothing.", "The tea is good.")
    with pytest.raises(DataError, match="'test': 1 texts occur in the training corpus 'train'"):
        augment(train, exclude=[test])


def test_augment_drops_shared_sentences_where_told(train: Corpus) -> None:
    made = augment(train, exclude=[make_corpus("test", "The tea is good.")], drop_shared=True).corpus
    assert {example.id.partition("_")[0] for example in made} == {"t2", "t3", "t4", "t5"}


def test_augment_variant_that_reads_like_a_test_sentence_is_left_out(train: Corpus) -> None:
    made = augment(train, strategies=["revtgt"], exclude=[make_corpus("test", "The tea is bad.")]).corpus
    assert "The tea is bad." not in {example.text for example in made}
    assert len(texts_of(made, "revtgt")) == 3


@pytest.mark.parametrize("ratio", [0, -1, 1000])
def test_augment_ratio_out_of_bounds_is_refused(train: Corpus, ratio: float) -> None:
    with pytest.raises(ConfigError, match="expected variants per original"):
        augment(train, ratio=ratio)


def test_stages_add_one_strategy_at_a_time(train: Corpus) -> None:
    names = ["revtgt", "adddiff"]
    known = [
        {example.variant for example in stage}
        for stage in stages(augment(train, strategies=names).corpus, names)
    ]
    assert known == [{None}, {None, "revtgt"}, {None, "revtgt", "adddiff"}]


def test_augment_command_writes_the_file_and_its_stages(train: Corpus, tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(command)
    write(train, tmp_path / "train.jsonl", "jsonl")
    options = ["--strategies", "revtgt", "--curriculum", "--json", "--out", str(tmp_path / "adv.jsonl")]
    answer = CliRunner().invoke(app, [str(tmp_path / "train.jsonl"), *options])
    assert answer.exit_code == 0, answer.output
    assert json.loads(answer.stdout)["examples"] == {"source": 5, "revtgt": 4}
    assert [len(read(tmp_path / f"adv{end}.jsonl")) for end in ("", "-stage0", "-stage1")] == [9, 5, 9]


def test_augment_refuses_to_drop_what_no_file_shares(train: Corpus) -> None:
    with pytest.raises(ConfigError, match="found no file to exclude"):
        augment(train, drop_shared=True)


def test_augment_refuses_to_drop_every_sentence(train: Corpus) -> None:
    # before, an empty file was written, which no command can read
    with pytest.raises(DataError, match="found all 5 texts in the corpora to exclude"):
        augment(train, exclude=[train], drop_shared=True)


def test_curriculum_does_not_write_over_what_is_read(train: Corpus, tmp_path: Path) -> None:
    write(train, tmp_path / "all-stage0.jsonl", "jsonl")
    before = (tmp_path / "all-stage0.jsonl").read_bytes()
    app = typer.Typer()
    app.command()(command)
    words = [str(tmp_path / "all-stage0.jsonl"), "--out", str(tmp_path / "all.jsonl"), "--curriculum"]
    answer = CliRunner().invoke(app, words)
    assert "is an input and would be overwritten" in str(answer.exception)
    assert (tmp_path / "all-stage0.jsonl").read_bytes() == before


def test_sentence_that_one_of_two_files_shares_is_dropped_from_both(train: Corpus) -> None:
    # the file of opinion words spells the sentence in another way
    spelt = "The  tea is good ."
    aspect, opinion = term(spelt, "tea"), term(spelt, "good")
    other = Example("t1", spelt, (Quad(aspect, None, opinion, Polarity.POSITIVE),))
    opinions = train.with_examples([other, *train.examples[1:]])
    made = augment(
        train, opinions=opinions, exclude=[make_corpus("dev", "The tea is good.")], drop_shared=True
    )
    assert {example.source or example.id for example in made.corpus} == {"t2_0", "t3_0", "t4_0", "t5_0"}
