"""The whole generator: ids, labels, report, determinism; published counts where the data is there."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from aspectlab.cli.arts import parse_sizes
from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import ConfigError, DataError, TaskError
from aspectlab.language import antonyms
from aspectlab.readers import read
from aspectlab.robustness.generator import Generation, generate
from aspectlab.robustness.strategies import STRATEGIES

pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")
pytest.importorskip("spacy", reason="needs pip install 'aspectlab[parse]'")

TEA = "The tea is good and the room is cheap."
BEDS = ["The beds were cold.", "The porter was cold.", "The garden was lovely.", "The view was lovely."]


def entry(text: str, term: str, polarity: str, *opinions: str) -> dict[str, object]:
    start = text.index(term)
    record: dict[str, object] = {"term": term, "from": start, "to": start + len(term), "polarity": polarity}
    if opinions:
        places = [[text.index(word), text.index(word) + len(word)] for word in opinions]
        record |= {"opinion_words": list(opinions), "opinion_position": places}
    return record


def write(path: Path, sentences: dict[str, tuple[str, dict[str, dict[str, object]]]]) -> Path:
    records = {key: {"sentence": text, "term_list": terms} for key, (text, terms) in sentences.items()}
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Test sentences with opinions, train, and test sentences with all aspects."""
    tea, room = entry(TEA, "tea", "positive", "good"), entry(TEA, "room", "positive", "cheap")
    towe = write(tmp_path / "towe.json", {"s#1": (TEA, {"s#1_1": tea, "s#1_3": room})})
    bare = {"s#1_0": entry(TEA, "The", "neutral"), "s#1_1": entry(TEA, "tea", "positive")}
    bare["s#1_3"] = entry(TEA, "room", "positive")
    full = write(tmp_path / "full.json", {"s#1": (TEA, bare)})
    pairs = [("beds", "negative", "cold"), ("porter", "negative", "cold")]
    pairs += [("garden", "positive", "lovely"), ("view", "positive", "lovely")]
    rows = zip(BEDS, pairs, strict=True)
    train = {f"t{n}": (text, {f"t{n}_0": entry(text, *pair)}) for n, (text, pair) in enumerate(rows)}
    return towe, write(tmp_path / "train.json", train), full


def make(files: tuple[Path, Path, Path], **options: object) -> Generation:
    towe, train, full = (read(path) for path in files)
    return generate(towe, train, all_aspects=full, sizes=(1, 2), **options)  # type: ignore[arg-type]


def test_generate_ids_are_those_of_the_file_with_suffixes(files: tuple[Path, Path, Path]) -> None:
    ids = [example.id for example in make(files).corpus]
    sources = ["s#1_0", "s#1_1", "s#1_3"]
    both = [f"{source}_adv{n}" for source in ("s#1_1", "s#1_3") for n in (1, 2, 3)]
    assert ids == sorted([*sources, *both, "s#1_0_adv3"])


def test_generate_labels_follow_the_strategy(files: tuple[Path, Path, Path]) -> None:
    labels = {example.id: example.quads[0].polarity for example in make(files).corpus}
    assert labels["s#1_1_adv1"] == "negative"
    assert labels["s#1_1_adv2"] == labels["s#1_1_adv3"] == labels["s#1_1"] == "positive"


def test_generate_report_names_what_could_not_be_varied(files: tuple[Path, Path, Path]) -> None:
    generation = make(files)
    assert {(skip.id, skip.strategy) for skip in generation.skips} == {
        ("s#1_0", "revtgt"),
        ("s#1_0", "revnon"),
    }
    assert {skip.reason for skip in generation.skips} == {"no opinion words"}


@pytest.mark.parametrize("name", STRATEGIES)
def test_generate_each_strategy_is_pure_and_seeded(files: tuple[Path, Path, Path], name: str) -> None:
    first, again = make(files, strategies=[name], seed=4), make(files, strategies=[name], seed=4)
    assert first == again
    variants = [example for example in first.corpus if example.variant]
    assert {example.variant for example in variants} == {name}
    assert all(example.source and example.id.startswith(example.source) for example in variants)


def test_generate_combination_appends_to_the_reversed_sentence(files: tuple[Path, Path, Path]) -> None:
    corpus = make(files, strategies=["revtgt+adddiff"]).corpus
    variant = next(example for example in corpus if example.id == "s#1_1_revtgt+adddiff")
    # the target is negative now, so what is appended is positive
    assert variant.text.startswith("The tea is bad but the room is cheap; ")
    assert "lovely" in variant.text
    assert variant.quads[0].polarity == "negative"


def test_generate_makes_a_strategy_once_that_is_named_twice(files: tuple[Path, Path, Path]) -> None:
    # otherwise every id would stand twice in the file, and no reader takes that
    assert make(files, strategies=["revtgt", "revtgt"]) == make(files, strategies=["revtgt"])


def test_generate_without_a_strategy_is_refused(files: tuple[Path, Path, Path]) -> None:
    with pytest.raises(ConfigError, match="strategies: found none: expected some of revtgt"):
        make(files, strategies=[])


def test_generate_without_opinions_says_what_is_missing(files: tuple[Path, Path, Path]) -> None:
    _, train, full = (read(path) for path in files)
    with pytest.raises(TaskError, match="found no opinion annotated"):
        generate(full, train)


def test_generate_target_stands_where_its_source_does(tmp_path: Path, files: tuple[Path, Path, Path]) -> None:
    text = "Good tea, and more tea."
    first = {"a_0": entry(text, "tea", "positive", "Good")}
    second = {"a_0": {"term": "tea", "from": 19, "to": 22, "polarity": "positive"}}
    towe, full = (
        write(tmp_path / f"{name}-tea.json", {"a": (text, terms)})
        for name, terms in (("towe", first), ("full", second))
    )
    made = make((towe, files[1], full), strategies=["revtgt"]).corpus
    variant = next(example for example in made if example.variant)
    assert variant.text == "Not Good tea, and more tea."
    assert variant.quads[0].aspect == Term("tea", Span(23, 26))


def test_generate_other_language_is_refused(files: tuple[Path, Path, Path]) -> None:
    towe, train, _ = (read(path) for path in files)
    with pytest.raises(TaskError, match="found the language 'it': expected English"):
        generate(replace(towe, language="it"), train)


def test_generate_without_wordnet_uses_the_curated_table(
    files: tuple[Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(antonyms, "find_wordnet", lambda: None)
    texts = {example.id: example.text for example in make(files, strategies=["revtgt"]).corpus}
    assert texts["s#1_3_adv1"] == "The tea is good but the room is expensive."


def test_generate_all_aspects_of_other_sentences_are_refused(files: tuple[Path, Path, Path]) -> None:
    towe, train, _ = (read(path) for path in files)
    with pytest.raises(DataError, match="'s#1_1' is not among all aspects"):
        generate(towe, train, all_aspects=train)


@pytest.mark.parametrize("text", ["0", "6", "3-1", "1-9", "many", ""])
def test_sizes_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="expected a number from 1 to 5"):
        parse_sizes(text)


PROGRAM = """
import sys
from aspectlab.readers import read
from aspectlab.robustness.generator import generate
towe, train, full = (read(path) for path in sys.argv[1:])
print(generate(towe, train, all_aspects=full, sizes=(1, 2)).corpus.sha256)
"""


def test_generate_does_not_depend_on_the_hash_seed(files: tuple[Path, Path, Path]) -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM, *map(str, files)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert digests == {make(files).corpus.sha256 + "\n"}


@pytest.mark.parametrize("name", ["made.json", "made.jsonl"])
def test_generate_command_writes_a_file_that_reads_back(files: tuple[Path, Path, Path], name: str) -> None:
    import typer

    from aspectlab.cli.arts import generate as command

    app = typer.Typer()
    app.command()(command)
    towe, train, full = map(str, files)
    out = files[0].parent / name
    options = [
        "--train",
        train,
        "--all-aspects",
        full,
        "--k",
        "1-2",
        "--combine",
        "--json",
        "--out",
        str(out),
    ]
    answer = CliRunner().invoke(app, [towe, *options])
    assert answer.exit_code == 0, answer.output
    made = read(out)
    assert sum(example.variant == "revnon+adddiff" for example in made) == 2
    assert json.loads(answer.stdout)["examples"]["source"] == 3


@pytest.mark.slow
def test_generate_published_ids_and_labels_come_out(restaurant: tuple[Generation, Corpus]) -> None:
    generation, published = restaurant
    made = {example.id: example.quads[0].polarity for example in generation.corpus}
    known = {example.id: example.quads[0].polarity for example in published}
    # SOURCES: the released file lacks one REVTGT variant that its own rule gives
    assert made.keys() - known.keys() == {"11660930#655010#5_0_adv1"}
    assert {id: made.get(id) for id in known} == known


@pytest.mark.slow
def test_generate_published_counts_by_strategy(restaurant: tuple[Generation, Corpus]) -> None:
    # Xing et al.'s released Restaurant file, and one REVTGT variant more
    expected = {"source": 1120, "revtgt": 847, "revnon": 444, "adddiff": 1120}
    assert restaurant[0].count_variants() == expected


def test_report_names_aspects_that_are_no_target() -> None:
    sample = read("examples/sample_test.jsonl")
    made = generate(sample, read("examples/sample_train.jsonl"), strategies=["adddiff", "revtgt"])
    skips = made.group_skips()
    # by hand: of the 39 aspects of the sample 4 are implicit, and the others are sources
    assert made.count_variants()["source"] == 35
    fault = "implicit, or not verbatim in the text"
    assert [len(skips[name, fault]) for name in ("adddiff", "revtgt")] == [4, 4]


def make_torn() -> Corpus:
    """The tea has two opinions of two polarities, the room one."""
    text = "The tea is good but cold and the room is cheap."
    triplets = [("tea", "good", "positive"), ("tea", "cold", "negative"), ("room", "cheap", "positive")]
    quads = tuple(Quad(place(text, a), None, place(text, o), Polarity(label)) for a, o, label in triplets)
    parts = frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY})
    return Corpus("torn", "en", parts, (Example("s", text, quads),))


def place(text: str, word: str) -> Term:
    return Term(word, Span(text.index(word), text.index(word) + len(word)))


def test_generate_does_not_vary_an_aspect_of_two_polarities(files: tuple[Path, Path, Path]) -> None:
    made = generate(make_torn(), read(files[1]), strategies=["revtgt", "adddiff"], sizes=[1])
    assert [example.id for example in made.corpus] == ["s_1", "s_1_adv1", "s_1_adv3"]
    reason = "opinions of different polarities"
    assert made.group_skips() == {("revtgt", reason): ["s 'tea'"], ("adddiff", reason): ["s 'tea'"]}


def test_generate_names_two_polarities_where_another_file_has_one(files: tuple[Path, Path, Path]) -> None:
    torn = make_torn()
    tea, room = torn.examples[0].quads[0], torn.examples[0].quads[2]
    full = torn.with_examples([replace(torn.examples[0], quads=(tea, room))])
    made = generate(torn, read(files[1]), all_aspects=full, strategies=["revtgt", "adddiff"], sizes=[1])
    # the other file has one label for the tea, so that a clause may be appended, but no opinion be reversed
    assert [example.id for example in made.corpus if example.source == "s_0"] == ["s_0_adv3"]
    assert made.group_skips() == {("revtgt", "opinions of different polarities"): ["s_0"]}


def test_generate_takes_a_term_that_a_file_lists_twice_as_two_aspects(
    files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    terms = {"t_0": entry(TEA, "tea", "positive", "good"), "t_1": entry(TEA, "tea", "negative", "cheap")}
    twice = read(write(tmp_path / "twice.json", {"t": (TEA, terms)}))
    made = generate(twice, read(files[1]), strategies=["revtgt"])
    labels = {example.id: example.quads[0].polarity for example in made.corpus}
    expected = {"t_0": "positive", "t_0_adv1": "negative", "t_1": "negative", "t_1_adv1": "positive"}
    assert (labels, made.skips) == (expected, ())


@pytest.fixture
def numbered() -> Corpus:
    """The room alone has opinion words; aspects have no ids of their own, so that it is number 0."""
    quad = Quad(place(TEA, "room"), None, place(TEA, "cheap"), Polarity.POSITIVE)
    parts = frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY})
    return Corpus("numbered", "en", parts, (Example("s", TEA, (quad,)),))


def list_all(text: str, polarity: Polarity) -> Corpus:
    """Both aspects of a text that is said to be the sentence "s"."""
    quads = [Quad(place(text, word), polarity=polarity) for word in ("tea", "room")]
    parts = frozenset({Part.ASPECT, Part.POLARITY})
    return Corpus("all", "en", parts, (Example("s", text, tuple(quads)),))


def test_generate_ties_a_variant_to_the_aspect_with_its_term(
    files: tuple[Path, Path, Path], numbered: Corpus
) -> None:
    full = list_all(TEA, Polarity.POSITIVE)
    made = generate(numbered, read(files[1]), all_aspects=full, strategies=["revtgt"]).corpus
    terms = {example.id: example.quads[0].aspect.text for example in made if example.quads[0].aspect}
    # the room is the second of all aspects
    assert terms == {"s_0": "tea", "s_1": "room", "s_1_adv1": "room"}


@pytest.mark.parametrize(
    ("text", "polarity"),
    [
        ("Their room has neither tea nor milk, sadly!", Polarity.POSITIVE),
        (TEA, Polarity.NEGATIVE),
    ],
    ids=["another sentence", "another label"],
)
def test_generate_all_aspects_that_differ_are_refused(
    files: tuple[Path, Path, Path], numbered: Corpus, text: str, polarity: Polarity
) -> None:
    with pytest.raises(DataError, match=r"'all': aspect 's_\d': found .*: expected 'room' \(positive\)"):
        generate(numbered, read(files[1]), all_aspects=list_all(text, polarity))


def test_generate_all_aspects_of_another_language_are_refused(
    files: tuple[Path, Path, Path], numbered: Corpus
) -> None:
    full = replace(list_all(TEA, Polarity.POSITIVE), language="it")
    with pytest.raises(TaskError, match="corpus 'all': found the language 'it'"):
        generate(numbered, read(files[1]), all_aspects=full)


def test_generate_report_names_ids_and_reasons(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    from aspectlab.cli.arts import app

    towe, train, full = map(str, files)
    words = [towe, "--train", train, "--all-aspects", full, "--k", "1", "--out", str(tmp_path / "out.json")]
    answer = CliRunner().invoke(app, ["generate", *words, "--strategies", "revtgt", "--json"])
    assert json.loads(answer.stdout)["not_varied"] == [
        {"strategy": "revtgt", "reason": "no opinion words", "aspects": 1, "ids": ["s#1_0"]}
    ]


@pytest.mark.parametrize("first", ["revtgt", "revnon"])
def test_generate_report_says_which_step_of_a_chain_failed(
    files: tuple[Path, Path, Path], first: str
) -> None:
    # the first step succeeds for both aspects; the training file has two clauses of a polarity, not five
    towe, train, _ = (read(path) for path in files)
    skips = generate(towe, train, strategies=[f"{first}+adddiff"], sizes=[5]).skips
    assert [skip.reason for skip in skips] == ["too few terms that the sentence lacks"] * 2


def test_generate_report_counts_no_other_aspect_that_lacks_opinion_words() -> None:
    text = "Good tea and a cup."
    tea = Quad(Term("tea", Span(5, 8)), None, Term("Good", Span(0, 4)), Polarity.POSITIVE)
    cup = Quad(Term("cup", Span(15, 18)), None, None, Polarity.POSITIVE)
    parts = frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY})
    corpus = Corpus("c", "en", parts, (Example("1", text, (tea, cup)),))
    skips = generate(corpus, corpus, strategies=["revnon"]).skips
    assert [skip.reason for skip in skips if skip.id == "1_0"] == ["no other aspect with opinion words"]
