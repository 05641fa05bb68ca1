"""Splits: reproducible anywhere, sentences never on both sides, tied to one corpus."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from aspectlab.data import Corpus, Example, Split, apply_split, read_split, split, write_splits
from aspectlab.data.splitting import split_from_dict, split_to_dict
from aspectlab.errors import ConfigError, DataError
from tests.support.examples import corpus_of

HUNDRED = corpus_of(*(Example(f"s{n}", f"Sentence {n}.") for n in range(100)))


def texts_of(corpus: Corpus) -> set[str]:
    return {example.text for example in corpus}


@given(
    st.lists(st.sampled_from("abcdef"), min_size=2).filter(lambda texts: len(set(texts)) > 1), st.integers()
)
def test_split_puts_every_example_on_one_side_with_its_text(texts: list[str], seed: int) -> None:
    corpus = corpus_of(*(Example(str(n), text) for n, text in enumerate(texts)))
    train, dev = apply_split(corpus, split(corpus, splits=1, dev=0.3, seed=seed)[0])
    assert len(train) + len(dev) == len(corpus)
    assert len(train) > 0
    assert len(dev) > 0
    assert not texts_of(train) & texts_of(dev)


@pytest.mark.parametrize(("dev", "expected"), [(0.1, 10), (0.25, 25), (0.001, 1), (0.999, 99)])
def test_split_gives_dev_its_share(dev: float, expected: int) -> None:
    assert [len(part.dev) for part in split(HUNDRED, dev=dev)] == [expected] * 5


def test_split_draws_independent_splits() -> None:
    parts = [*split(HUNDRED, seed=1), *split(HUNDRED, seed=2)]
    assert len({part.dev for part in parts}) == 10


def test_split_keeps_earlier_splits_when_more_are_asked_for() -> None:
    assert split(HUNDRED, splits=7)[:3] == split(HUNDRED, splits=3)


def test_split_keeps_the_order_of_the_corpus() -> None:
    part = split(HUNDRED)[0]
    assert sorted(part.train, key=lambda id: int(id[1:])) == list(part.train)


@pytest.mark.parametrize("hash_seed", ["0", "4242"])
def test_split_does_not_depend_on_the_hash_seed(hash_seed: str) -> None:
    program = (
        "from aspectlab.data import Corpus, Example, split\n"
        "examples = tuple(Example(f's{n}', f'Sentence {n}.') for n in range(100))\n"
        "print(*split(Corpus('made', 'en', frozenset(), examples))[4].dev)"
    )
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert tuple(answer.stdout.split()) == split(HUNDRED)[4].dev


def test_apply_split_refuses_another_corpus() -> None:
    other = corpus_of(*HUNDRED.examples[:-1])
    with pytest.raises(DataError, match=r"split 1 of 'made': .* expected .* split it again"):
        apply_split(other, split(HUNDRED)[0])


@pytest.mark.parametrize("number", [0, 1])
def test_split_refuses_fewer_than_two_texts(number: int) -> None:
    corpus = corpus_of(*(Example(str(n), "Tea.") for n in range(2 * number)))
    with pytest.raises(DataError, match=f"found {number} different texts: expected at least 2"):
        split(corpus)


@pytest.mark.parametrize("dev", [0.0, 1.0, -0.1, 10.0, float("nan")])
def test_split_refuses_a_share_outside_of_0_to_1(dev: float) -> None:
    with pytest.raises(ConfigError, match="expected a share between 0 and 1"):
        split(HUNDRED, dev=dev)


def test_split_refuses_less_than_one_split() -> None:
    with pytest.raises(ConfigError, match="splits = 0: expected at least 1"):
        split(HUNDRED, splits=0)


def test_split_refuses_repeated_ids() -> None:
    with pytest.raises(DataError, match="id '1' occurs twice"):
        split(corpus_of(Example("1", "Tea."), Example("1", "Cake.")))


def test_split_file_gives_the_same_split_back(tmp_path: Path) -> None:
    parts = split(HUNDRED, splits=2)
    paths = write_splits(parts, tmp_path / "new" / "folder")
    assert [path.name for path in paths] == ["split-1.json", "split-2.json"]
    assert tuple(read_split(path) for path in paths) == parts
    assert set(json.loads(paths[0].read_text("utf-8"))) == {
        "corpus",
        "sha256",
        "seed",
        "split",
        "train",
        "dev",
    }


def test_split_files_need_a_folder_that_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataError, match="cannot be written"):
        write_splits(split(HUNDRED), tmp_path / "file")


GOOD = split_to_dict(Split("made", "0" * 64, 1, 1, ("a",), ("b",)))


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "found \\[\\]: expected an object"),
        ({**GOOD, "seed": True}, "key 'seed': found True: expected int"),
        ({**GOOD, "sha256": None}, "key 'sha256': found None: expected str"),
        ({**GOOD, "train": "a"}, "key 'train': found 'a': expected a list of ids"),
        ({**GOOD, "dev": [1]}, "key 'dev': found \\[1\\]: expected a list of ids"),
        ({**GOOD, "dev": ["a"]}, "id 'a' is in train and in dev"),
    ],
)
def test_split_record_names_the_key_that_is_wrong(record: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        split_from_dict(record)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 100_000, b"{}"])
def test_split_file_that_is_broken_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "split-1.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"split-1.json: "):
        read_split(path)


def test_split_file_that_is_absent_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"split-9.json: cannot be read"):
        read_split(tmp_path / "split-9.json")


def test_apply_split_does_not_care_where_the_corpus_was_read() -> None:
    part = split(HUNDRED)[0]
    renamed = replace(HUNDRED, name="other")
    assert [len(side) for side in apply_split(renamed, part)] == [90, 10]


def test_split_of_an_id_with_half_a_surrogate_pair_is_read_again(tmp_path: Path) -> None:
    part = Split("c", "0" * 8, 1, 1, ("a\ud83d",), ("é",))
    assert read_split(write_splits([part], tmp_path)[0]) == part


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_split_keeps_a_variant_with_the_sentence_it_was_made_from(seed: int) -> None:
    # ARTS: variants have other texts, and would tell a model the sentence on the other side
    made = [Example(f"s{n}-{k}", f"No sentence {n}, {k}.", source=f"s{n}") for n in range(20) for k in "ab"]
    corpus = corpus_of(*made, *HUNDRED.examples[:20])
    part = split(corpus, splits=1, dev=0.3, seed=seed)[0]
    train, dev = ({id.partition("-")[0] for id in ids} for ids in (part.train, part.dev))
    assert not train & dev
    assert len(part.dev) == 18  # 0.3 of 60


def test_split_keeps_variants_of_an_absent_sentence_together() -> None:
    corpus = corpus_of(*(Example(str(n), f"Tea {n}.", source=f"s{n // 5}") for n in range(10)))
    assert {len(part.dev) for part in split(corpus)} == {5}


def test_split_refuses_variants_of_one_sentence_only() -> None:
    corpus = corpus_of(Example("1", "Tea."), Example("2", "No tea.", source="1"))
    with pytest.raises(DataError, match=r"found 1 different texts: .* not counting variants"):
        split(corpus)


@pytest.mark.parametrize("version", ["", "edition of 1999"])
def test_part_of_a_split_is_not_called_the_whole(version: str) -> None:
    # a file of nine tenths of a published corpus gave itself out as that corpus
    known = replace(HUNDRED, provenance=replace(HUNDRED.provenance, version=version))
    versions = [side.provenance.version for side in apply_split(known, split(known)[1])]
    before = f"{version}, " if version else ""
    assert versions == [f"{before}train of split 2", f"{before}dev of split 2"]
