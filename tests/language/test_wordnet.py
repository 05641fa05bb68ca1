"""WordNet: a dictionary of four words in WordNet's file format, and the real one where it is installed."""

from pathlib import Path

import pytest

from aspectlab.errors import ConfigError, DataError
from aspectlab.language.wordnet import find_wordnet, load_wordnet

LICENCE = "  1 This line stands for the licence.\n"
# offset file type count (word sense)* pointers (symbol offset pos ends)* | gloss
DATA = (
    "00000100 00 a 02 vast 0 big_deal 0 002 ! 00000200 a 0101 & 00000300 a 0000 | large\n"
    "00000200 00 a 02 wee 0 tiny 0 001 ! 00000100 a 0101 | small\n"
    "00000300 00 s 01 huge(a) 0 001 ! 00000100 a 0102 | very large\n"
)
INDEX = (
    "vast a 1 2 ! & 1 0 00000100\nwee a 1 1 ! 1 0 00000200\n"
    "tiny a 1 1 ! 1 0 00000200\nhuge a 1 1 ! 1 0 00000300\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for part in ("adj", "adv", "verb", "noun"):
        (tmp_path / f"data.{part}").write_text(LICENCE + (DATA if part == "adj" else ""), encoding="utf-8")
        (tmp_path / f"index.{part}").write_text(LICENCE + (INDEX if part == "adj" else ""), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("lemma", "expected"),
    [("vast", ("wee",)), ("wee", ("vast",)), ("tiny", ()), ("huge", ()), ("soup", ())],
    ids=["direct", "mirrored", "other word of the synset", "phrases left out", "unknown"],
)
def test_wordnet_gives_direct_antonyms(folder: Path, lemma: str, expected: tuple[str, ...]) -> None:
    assert load_wordnet(folder).antonyms(lemma, "ADJ") == expected


def test_wordnet_classes_are_kept_apart(folder: Path) -> None:
    assert load_wordnet(folder).antonyms("vast", "VERB") == ()


@pytest.mark.parametrize(
    ("lemma", "kind", "expected"),
    [
        ("vast", "ADJ", (("wee",), ("wee",), ())),
        ("tiny", "ADJ", ((), ("vast",), ())),
        ("tiny", "NOUN", ((), (), ("vast",))),
        ("soup", "NOUN", ((), (), ())),
    ],
    ids=["own", "of a synonym", "not of this class", "unknown"],
)
def test_wordnet_gives_opposites_the_nearest_first(
    folder: Path, lemma: str, kind: str, expected: tuple[tuple[str, ...], ...]
) -> None:
    assert load_wordnet(folder).opposites(lemma, kind) == expected


def test_wordnet_folder_is_found_by_its_variable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASPECTLAB_WORDNET", str(folder))
    assert find_wordnet() == folder


def test_wordnet_variable_that_names_a_wrong_folder_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a copy elsewhere on the machine was taken without a word, which may have other antonyms
    monkeypatch.setenv("ASPECTLAB_WORDNET", str(tmp_path))
    with pytest.raises(ConfigError, match=r"ASPECTLAB_WORDNET=.*: found no WordNet 3 there"):
        find_wordnet()


@pytest.mark.parametrize("content", ["nonsense\n", "00000100 00 a zz vast 0 000 | x\n", "00000100\n", "\xff"])
def test_wordnet_broken_file_is_named(folder: Path, content: str) -> None:
    (folder / "data.adj").write_bytes(content.encode("latin-1"))
    with pytest.raises(DataError, match=r"data\.adj: found no WordNet 3 file"):
        load_wordnet(folder)


def test_wordnet_real_files_hold_well_known_antonyms() -> None:
    folder = find_wordnet()
    if folder is None:
        pytest.skip("WordNet is not installed: apt install wordnet-base")
    found = load_wordnet(folder)
    # WordNet 3.0, as its own browser shows them
    assert "bad" in found.antonyms("good", "ADJ")
    assert "hate" in found.antonyms("love", "VERB")
    assert found.antonyms("delicious", "ADJ") == ()
