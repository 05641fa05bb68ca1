"""AspectSet: what is cut out of hand-written sentences; the expected clauses are written by hand too."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")
pytest.importorskip("spacy", reason="needs pip install 'aspectlab[parse]'")

import spacy

from aspectlab.cli.arts import app
from aspectlab.data import Corpus, Example, Part, Polarity, Quad
from aspectlab.errors import ConfigError, MissingPartError
from aspectlab.readers import read, write
from aspectlab.robustness.aspects import AspectSentence, build_sentences
from aspectlab.robustness.aspectset import build_aspectset, read_phrases
from aspectlab.robustness.augmentation import augment
from aspectlab.robustness.clauses import grow_trees
from aspectlab.robustness.generator import generate
from tests.support.tagged_sentences import place

PARTS = frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY})
Row = tuple[str, list[tuple[str, str, str]]]
"""A text, and of each aspect its term, its opinion and its polarity."""

# each opinion is written twice with its polarity, so that it is known what it means
USUAL: list[Row] = [
    ("The lamps were dark.", [("lamps", "dark", "negative")]),
    ("The stairs were dark.", [("stairs", "dark", "negative")]),
    ("The clerk was rude.", [("clerk", "rude", "negative")]),
    ("The cook was rude.", [("cook", "rude", "negative")]),
]


def make_corpus(*rows: Row) -> Corpus:
    examples = [
        Example(
            f"p{number}",
            text,
            tuple(
                Quad(place(text, term), None, place(text, opinion), Polarity(polarity))
                for term, opinion, polarity in aspects
            ),
        )
        for number, (text, aspects) in enumerate(rows)
    ]
    return Corpus("parsed", "en", PARTS, tuple(examples))


def make_sentences(*rows: Row) -> list[AspectSentence]:
    return build_sentences(make_corpus(*rows))


def cut(text: str, *aspects: tuple[str, str, str], phrases: str = "parsed") -> list[str]:
    """Return the clauses of one sentence, without those of the usual ones."""
    known = build_aspectset(make_sentences(*USUAL), phrases).expressions
    found = build_aspectset(make_sentences(*USUAL, (text, list(aspects))), phrases).expressions
    return [expression.text for expression in found if expression not in known]


HALL = ("hall", "dark", "negative")


@pytest.mark.parametrize(
    ("text", "aspect", "expected"),
    [
        ("The hall was rather dark.", HALL, "the hall was rather dark"),
        ("Sadly, our hall is dark!", HALL, "our hall is dark"),
        ("The price is fair but the hall is dark.", HALL, "the hall is dark"),
        ("I hated the hall.", ("hall", "hated", "negative"), "I hated the hall"),
        ("I'm in love with the hall.", ("hall", "love", "positive"), "I'm in love with the hall"),
        ("Because they had lost our keys, we left.", ("keys", "lost", "negative"), "they had lost our keys"),
        # an adjective before the term becomes a clause, in the right number, with what stands before it
        ("A very dark hall.", HALL, "the hall is very dark"),
        ("We saw two dark halls.", ("halls", "dark", "negative"), "the halls are dark"),
        # a negation inside comes along, and so does the label
        ("The hall was not bright.", ("hall", "bright", "negative"), "the hall was not bright"),
        ("The staff were rude.", ("staff", "rude", "negative"), "the staff were rude"),
    ],
)
def test_aspectset_cuts_the_least_clause_out(text: str, aspect: tuple[str, str, str], expected: str) -> None:
    assert cut(text, aspect) == [expected]


@pytest.mark.parametrize(
    ("text", "aspect"),
    [
        ("Is the hall dark?", HALL),
        ("If the hall is dark, leave.", HALL),
        ("I don't think the hall is dark.", ("hall", "dark", "positive")),
        ("I wish the hall was dark.", ("hall", "dark", "positive")),
        ("No dark hall here.", ("hall", "dark", "positive")),
        ("The hall that we saw, which was dark, is closed.", HALL),
        ("DARK HALL IS DARK.", ("HALL", "DARK", "negative")),
        ("It was a dark hall also.", ("hall", "a", "negative")),
        ("The halls is dark.", ("halls", "dark", "negative")),  # a slip in number
        ("The hall is a awful dark place.", ("hall", "awful", "negative")),  # a slip in the article
        ("The hall was dark.", ("hall", "dark", "positive")),  # the word is usually negative
        ("The hall was dark.", ("hall", "dark", "neutral")),
        ("They lost our keys, which we needed.", ("keys", "lost", "negative")),  # a comma inside
        ("The hall is dark and it is also where my 2 friends wait.", ("hall", "friends", "negative")),
    ],
)
def test_aspectset_leaves_out_what_would_mislead(text: str, aspect: tuple[str, str, str]) -> None:
    assert cut(text, aspect) == []


def test_aspectset_clause_names_one_aspect_only() -> None:
    text = "The hall and the attic were dark."
    assert cut(text, HALL, ("attic", "dark", "negative")) == []


def test_aspectset_keeps_term_polarity_and_origin() -> None:
    found = build_aspectset(make_sentences(*USUAL), "parsed")
    assert found.origin == "dependencies of en_core_web_sm"
    first = found.expressions[0]
    assert (first.before, first.term, first.after) == ("the ", "lamps", " were dark")
    assert {expression.polarity for expression in found.expressions} == {Polarity.NEGATIVE}


TEA = make_corpus(("The tea is good.", [("tea", "good", "positive")]))


def test_adddiff_appends_parsed_clauses_by_its_rules() -> None:
    train = make_corpus(*USUAL)
    made = generate(TEA, train, strategies=["adddiff"], sizes=[3], phrases="parsed")
    (variant,) = (example for example in made.corpus if example.variant)
    tail = variant.text.removeprefix("The tea is good, but ").removesuffix(".")
    first, _, rest = tail.partition(", ")
    clauses = {first, *rest.split(" and ")}
    known = {"the lamps were dark", "the stairs were dark", "the clerk was rude", "the cook was rude"}
    assert len(clauses) == 3
    assert clauses < known
    assert variant.quads[0].polarity is Polarity.POSITIVE
    again = generate(TEA, train, strategies=["adddiff"], sizes=[3], phrases="parsed")
    assert again.corpus == made.corpus


def test_adddiff_clause_does_not_name_an_aspect_of_the_sentence() -> None:
    train = make_corpus(("I hated the cup of the tea.", [("cup", "hated", "negative")]))
    assert [e.text for e in build_aspectset(build_sentences(train), "parsed").expressions] == [
        "I hated the cup of the tea"
    ]
    assert generate(TEA, train, strategies=["adddiff"], sizes=[1], phrases="parsed").skips


@pytest.mark.parametrize("text", ["parse", "template:x", "", "Parsed"])
def test_phrases_that_are_unknown_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="expected template, parsed, or parsed:NAME"):
        read_phrases(text)


def test_parser_that_is_missing_is_named_with_the_remedy() -> None:
    message = r"parser 'en_no_such': the pipeline is not installed.*aspectlab\[parse\]"
    with pytest.raises(MissingPartError, match=message):
        augment(make_corpus(*USUAL), strategies=["adddiff"], phrases="parsed:en_no_such")


def test_commands_take_aspect_phrases_and_report_them(tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name}.jsonl" for name in ("tea", "train", "out")}
    write(TEA, files["tea"], "jsonl")
    write(make_corpus(*USUAL), files["train"], "jsonl")
    options = ["--strategies", "adddiff", "--aspect-phrases", "parsed", "--out", str(files["out"]), "--json"]
    made = CliRunner().invoke(
        app, ["generate", str(files["tea"]), "--train", str(files["train"]), "--k", "1", *options]
    )
    assert made.exit_code == 0, made.output
    assert json.loads(made.stdout)["clauses"] == {"from": "dependencies of en_core_web_sm", "count": 4}
    assert len(read(files["out"])) == 2


@pytest.mark.slow
def test_adddiff_with_parsed_clauses_reaches_every_published_id(real_data: Path) -> None:
    folder = real_data / "arts" / "src_data" / "rest"
    towe, train, full = (
        read(folder / f"{n}.json") for n in ("test_sent_towe", "train_sent_towe", "test_sent")
    )
    made = generate(towe, train, all_aspects=full, strategies=["adddiff"], phrases="parsed")
    examples = {example.id: example for example in made.corpus}
    variants = [example for example in made.corpus if example.variant]
    # specs of the published set: every one of its 1,120 aspects has an ADDDIFF variant
    assert len(variants) == 1120
    pairs = [(examples[example.source or ""], example) for example in variants]
    assert [new.id for old, new in pairs if new.quads != old.quads] == []
    assert [new.id for old, new in pairs if not new.text.startswith(old.text.rstrip(" \t\r\n.?!"))] == []
    tails = [new.text[len(old.text.rstrip(" \t\r\n.?!")) :] for old, new in pairs]
    assert [tail for tail in tails if not tail.endswith(".") or "  " in tail or " i " in tail] == []


# ---- constituents, as a component `benepar` gives them; here a stand-in that reads them from brackets

Install = Callable[[str], str]


def spans_of(brackets: str) -> list[tuple[int, int, str]]:
    """Read (S (NP the hall) (VP was dark)): the places and the label of each bracket."""
    found, open_, count = [], [], 0
    for item in brackets.replace("(", " ( ").replace(")", " ) ").split():
        if item == "(":
            open_.append((count, ""))
        elif item == ")":
            first, label = open_.pop()
            found.append((first, count, label))
        elif open_ and not open_[-1][1]:
            open_[-1] = (count, item)
        else:
            count += 1
    return found


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Save a pipeline whose component gives the constituents of one bracketed sentence, and give its name."""
    from spacy.language import Language
    from spacy.tokens import Doc, Span

    labels: dict[tuple[int, int], tuple[str, ...]] = {}

    def put(brackets: str) -> str:
        labels.clear()
        for first, end, label in spans_of(brackets):
            labels[first, end] = (label, *labels.get((first, end), ()))
        Span.set_extension(
            "constituents", getter=lambda s: [s.doc[a:b] for a, b in labels if b <= len(s.doc)], force=True
        )
        Span.set_extension("labels", getter=lambda s: labels[s.start, s.end], force=True)
        folder = tmp_path / "pipeline"
        language = spacy.load(_usual_folder(), exclude=["ner", "lemmatizer"])
        language.add_pipe("benepar")
        language.to_disk(folder)
        return f"parsed:{folder}"

    def pass_on(doc: Doc) -> Doc:
        return doc

    Language.component("benepar", func=pass_on)
    monkeypatch.setitem(sys.modules, "benepar", ModuleType("benepar"))
    return put


def _usual_folder() -> Path:
    from aspectlab.language.parsing import find_pipeline

    pipeline = find_pipeline("en_core_web_sm")
    assert pipeline is not None
    return pipeline.folder


@pytest.mark.parametrize(
    ("text", "brackets", "expected"),
    [
        (
            "We paid and the hall was very dark.",
            "(S (S (NP We) (VP paid)) and (S (NP the hall) (VP was (ADJP very dark))) .)",
            "the hall was very dark",
        ),
        (
            "We saw a very dark hall.",
            "(S (NP We) (VP saw (NP a (ADJP very dark) hall)) .)",
            "the hall is very dark",
        ),
        (  # a subject with its opinion is not cut off from its verb
            "The dark hall closed early.",
            "(S (NP The dark hall) (VP closed (ADVP early)) .)",
            "the dark hall closed early",
        ),
    ],
)
def test_aspectset_takes_the_constituents_of_a_pipeline(
    install: Install, text: str, brackets: str, expected: str
) -> None:
    phrases = install(brackets)
    sentences = make_sentences((text, [HALL]), *USUAL)
    # the stand-in knows the brackets of one sentence, so that the others have none that fit
    found = build_aspectset(sentences, phrases)
    assert found.origin.startswith("constituents of ")
    assert expected in [expression.text for expression in found.expressions]


def test_pipeline_with_constituents_needs_its_package(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = install("(S x)").removeprefix("parsed:")
    monkeypatch.setitem(sys.modules, "benepar", None)
    with pytest.raises(MissingPartError, match="the package benepar is not installed"):
        grow_trees(["The hall."], name)
