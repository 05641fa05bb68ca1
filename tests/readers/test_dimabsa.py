"""DimABSA: terms by their words, valence as polarity, and the three subtasks."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from aspectlab.data import Corpus, Example, Intensity, Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.readers import find_losses, read, write
from aspectlab.readers.textfields import MAX_FIELD, MAX_PAIRS
from tests.support.tables import EDITS, Edits, mutate, refusal, survives

TEXT = "Good lamp, its light is warm; the old lamp was cold."
LAMP, WARM = Term("lamp", Span(5, 9)), Term("warm", Span(24, 28))


def quad(**values: object) -> dict[str, object]:
    return {"Aspect": "light", "Category": "LAMP#LIGHT", "Opinion": "warm", "VA": "7.00#6.25"} | values


def line(*quads: object, key: str = "Quadruplet", **others: object) -> str:
    return json.dumps({"ID": "r-1", "Text": TEXT, key: [*quads]} | others, ensure_ascii=False)


def make(folder: Path, *lines: str) -> Path:
    path = folder / "sample.jsonl"
    path.write_bytes("".join(f"{each}\n" for each in lines).encode())
    return path


def only_quad(path: Path) -> Quad:
    (found,) = read(path, "dimabsa").examples[0].quads
    return found


def test_quads_are_placed_by_their_words(tmp_path: Path) -> None:
    implicit = quad(Aspect="NULL", Opinion="NULL", VA="4.99#5")
    corpus = read(make(tmp_path, line(quad(), implicit), "", line(ID="r-2", Text="")))
    quads = (
        Quad(
            Term("light", Span(15, 20)), "LAMP#LIGHT", WARM, Polarity.POSITIVE, intensity=Intensity(7, 6.25)
        ),
        Quad(None, "LAMP#LIGHT", None, Polarity.NEGATIVE, intensity=Intensity(4.99, 5)),
    )
    assert corpus.examples == (Example("r-1", TEXT, quads), Example("r-2", ""))
    assert (corpus.provenance.format, corpus.annotates, corpus.language) == ("dimabsa", {*Part}, "und")
    (note,) = corpus.provenance.notes
    assert note.endswith("opinions whose polarity is that of their valence: 2, first on line 1")


@pytest.mark.parametrize(
    ("key", "left_out", "parts"),
    [
        ("Triplet", ["Category"], {Part.ASPECT, Part.OPINION, Part.POLARITY}),
        ("Aspect_VA", ["Category", "Opinion"], {Part.ASPECT, Part.POLARITY}),
    ],
)
def test_subtasks_annotate_less(tmp_path: Path, key: str, left_out: list[str], parts: set[Part]) -> None:
    item = {name: value for name, value in quad().items() if name not in left_out}
    corpus = read(make(tmp_path, line(item, key=key)))
    assert corpus.provenance.format == "dimabsa"
    assert corpus.annotates == parts


@pytest.mark.parametrize(
    ("valence", "polarity"),
    [
        ("1", Polarity.NEGATIVE),
        ("4.99", Polarity.NEGATIVE),
        ("5.00", Polarity.NEUTRAL),
        ("5.50", Polarity.NEUTRAL),
        ("5.51", Polarity.POSITIVE),
        ("9.00", Polarity.POSITIVE),
    ],
)
def test_valence_becomes_polarity(tmp_path: Path, valence: str, polarity: Polarity) -> None:
    assert only_quad(make(tmp_path, line(quad(VA=f"{valence}#5.00")))).polarity is polarity


@pytest.mark.parametrize(
    ("aspect", "opinion", "placed"),
    [
        ("lamp", "Good", (LAMP, Term("Good", Span(0, 4)))),
        ("lamp", "cold", (Term("lamp", Span(38, 42)), Term("cold", Span(47, 51)))),
        ("lamp", "NULL", (LAMP, None)),
        (" lamp ", "NULL", (LAMP, None)),
        ("LIGHT", "NULL", (Term("light", Span(15, 20)), None)),
        ("lig", "NULL", (Term("lig", Span(15, 18)), None)),
        ("shade", "NULL", (Term("shade"), None)),
    ],
)
def test_occurrences_nearest_to_each_other_are_taken(
    tmp_path: Path, aspect: str, opinion: str, placed: tuple[Term | None, Term | None]
) -> None:
    found = only_quad(make(tmp_path, line(quad(Aspect=aspect, Opinion=opinion))))
    assert (found.aspect, found.opinion) == placed


def test_chinese_term_is_placed_inside_a_sentence(tmp_path: Path) -> None:
    path = make(tmp_path, line(quad(Aspect="豬肉", Opinion="不錯吃"), Text="豬肉和雞肉，不錯吃。"))
    assert only_quad(path).opinion == Term("不錯吃", Span(6, 9))


def test_arousal_out_of_range_is_noted(tmp_path: Path) -> None:
    notes = read(make(tmp_path, line(quad(VA="5#16.5"), quad(Aspect="shade")))).provenance.notes
    assert [note.partition(": ")[2] for note in notes[1:]] == [
        "opinions whose arousal is not from 1 to 9: 1, first on line 1",
        "terms that are not in the text, kept without a span: 1, first on line 1",
    ]


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        (line(quad(VA="0.50#5.00")), "found the values '0.50#5.00': expected valence#arousal like 6.75#5.50"),
        (line(quad(VA="9.50#5.00")), "expected valence#arousal like 6.75#5.50, both from 1 to 9"),
        (line(quad(VA="7.00")), "found the values '7.00': expected valence#arousal"),
        (line(quad(VA="nan#5")), "found the values 'nan#5': expected valence#arousal"),
        (line(quad(VA=None)), "found 'VA' None: expected a string"),
        (line(quad(Aspect=None)), "found 'Aspect' None: expected a string"),
        (line(quad(Opinion=3)), "found 'Opinion' 3: expected a string"),
        (line(quad(Category=None)), "found 'Category' None: expected a string"),
        (line(quad(Aspect=" ")), "found an empty Aspect: expected words, or NULL; correct it"),
        (line(3), "found 3: expected an object with an aspect"),
        (line(key="Quadruplet", Quadruplet={}), "found 'Quadruplet' {}: expected a list"),
        (line(Text=None), "found 'Text' None: expected a string"),
        (line(ID=7), "found 'ID' 7: expected a string"),
        (line(Text="a" * (MAX_FIELD + 1)), "expected at most 65,536"),
        (line(*[quad()] * (MAX_PAIRS + 1)), "expected at most 1,000"),
        ("[]", "found []: expected an object with the keys ID and Text"),
        ('{"ID": ', "expected valid JSON"),
    ],
)
def test_broken_line_is_named(tmp_path: Path, broken: str, found: str) -> None:
    message = refusal(make(tmp_path, line(quad()), broken), "dimabsa")
    assert "sample.jsonl: line 2: found" in message
    assert found in message


@pytest.mark.parametrize(
    ("key", "left_out"),
    [("Quadruplet", []), ("Triplet", ["Category"]), ("Aspect_VA", ["Category", "Opinion"])],
)
def test_each_subtask_is_written_in_its_form(tmp_path: Path, key: str, left_out: list[str]) -> None:
    items = [quad(VA="7.25#6.05"), quad(Aspect="NULL", Opinion="NULL", VA="4.99#5.00")]
    kept = [{name: value for name, value in item.items() if name not in left_out} for item in items]
    path = make(tmp_path, line(*kept, key=key), line(ID="r-2", key=key))
    write(read(path), tmp_path / "copy", "dimabsa")
    written, expected = (
        [json.loads(each) for each in file.read_text("utf-8").splitlines()]
        for file in (tmp_path / "copy", path)
    )
    assert written == expected


TEA = Quad(Term("lamp", Span(5, 9)), "X#Y", None, Polarity.POSITIVE, intensity=Intensity(6.125, 5))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"intensity": None}, "found a quad without valence and arousal: expected both in every quad"),
        ({"category": None}, "found no category"),
        ({"polarity": Polarity.NEGATIVE}, "found the values 6.125#5.00 of a quad that is negative"),
        ({"intensity": Intensity(9.5, 5)}, "expected a valence from 1 to 9"),
        ({"intensity": Intensity(7, -5)}, "found the values 7.00#-5.00"),
        ({"aspect": Term("NULL")}, "found the term 'NULL': expected words without whitespace around them"),
        ({"aspect": Term(" lamp", Span(4, 9))}, "found the term ' lamp'"),
        ({"aspect": Term("LAMP")}, "found the term 'LAMP': expected its words as they are in the text"),
    ],
)
def test_quad_that_would_be_read_as_another_is_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    corpus = Corpus("c", "en", frozenset(Part), (Example("1", TEXT, (replace(TEA, **changes),)),))
    with pytest.raises(DataError, match=re.escape(message)):
        write(corpus, tmp_path / "copy", "dimabsa")


def test_writing_names_what_is_not_kept(tmp_path: Path) -> None:
    example = Example("1", TEXT, (replace(TEA, confidence={"positive": 0.5}),))
    corpus = Corpus("c", "en", frozenset(Part), (example,))
    assert [*find_losses(corpus, "dimabsa")] == ["confidences", "offsets of terms that recur"]
    assert [*find_losses(corpus, "asqp")] == ["ids", "confidences", "valence and arousal"]
    write(corpus, tmp_path / "copy", "dimabsa")
    assert '"VA": "6.125#5.00"' in (tmp_path / "copy").read_text("utf-8")


@given(edits=EDITS)
def test_any_damage_is_read_or_refused(edits: Edits, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = make(tmp_path_factory.mktemp("made"), line(quad(), quad(Aspect="lamp")))
    path.write_bytes(mutate(path.read_bytes(), edits))
    assert survives(path, "dimabsa")


# sentences, quads, implicit aspects and opinions (NULL), language: counted in the files' JSON
COUNTS = {
    "eng/eng_restaurant_train_alltasks": (2284, 3659, 880, 699, "en"),
    "eng/eng_laptop_train_alltasks": (4076, 5773, 1254, 1583, "en"),
    "eng/eng_restaurant_dev_task3": (200, 408, 0, 0, "en"),
    "eng/eng_laptop_dev_task3": (200, 317, 0, 0, "en"),
    "jpn/jpn_hotel_train_alltasks": (1600, 2846, 331, 0, "ja"),
    "rus/rus_restaurant_train_alltasks": (1240, 2487, 0, 0, "ru"),
    "tat/tat_restaurant_train_alltasks": (1240, 2487, 0, 0, "tt"),
    "ukr/ukr_restaurant_train_alltasks": (1240, 2487, 0, 0, "uk"),
    "zho/zho_restaurant_train_alltasks": (6050, 8523, 169, 0, "zh"),
    "zho/zho_laptop_train_alltasks": (3490, 6502, 0, 0, "zh"),
}


@pytest.mark.parametrize("file", COUNTS)
def test_published_counts(file: str, real_data: Path) -> None:
    corpus = read(real_data / "dimabsa2026" / f"{file}.jsonl")
    quads = [each for example in corpus for each in example.quads]
    implicit = [sum(getattr(each, part) is None for each in quads) for part in ("aspect", "opinion")]
    assert (len(corpus), len(quads), *implicit, corpus.language) == COUNTS[file]
    assert all(term.span is not None for each in quads for term in each.terms)
    assert corpus.provenance.version == "DimABSA 2026 (SemEval-2026 Task 3), quads"


SMALL = [
    "eng/eng_restaurant_dev_task3",
    "eng/eng_laptop_dev_task2",
    "jpn/jpn_hotel_dev_task3",
    "rus/rus_restaurant_dev_task3",
    "tat/tat_restaurant_dev_task2",
    "ukr/ukr_restaurant_dev_task3",
    "zho/zho_restaurant_dev_task1",
]


@pytest.mark.parametrize("file", SMALL)
def test_real_files_survive_a_round_trip(file: str, real_data: Path, tmp_path: Path) -> None:
    corpus = read(real_data / "dimabsa2026" / f"{file}.jsonl")
    write(corpus, tmp_path / "copy", "dimabsa")
    assert read(tmp_path / "copy", name=corpus.name).examples == corpus.examples


@pytest.mark.parametrize(
    ("file", "acos", "shared", "agreement"),
    [("restaurant", "rest16", 2340, 0.853), ("laptop", "laptop", 3789, 0.889)],
)
def test_polarity_agrees_with_acos(
    file: str, acos: str, shared: int, agreement: float, real_data: Path
) -> None:
    """The figures of `Intensity.polarity`: quads with the terms and the category of one in ACOS."""

    def key(text: str, quad: Quad) -> tuple[object, ...]:
        return (text, quad.category, *(term and term.text for term in (quad.aspect, quad.opinion)))

    known: dict[tuple[object, ...], set[Polarity | None]] = {}
    for split in ("train", "dev"):
        for example in read(real_data / f"acos/{acos}_quad_{split}.tsv"):
            for each in example.quads:
                known.setdefault(key(example.text.strip(), each), set()).add(each.polarity)
    path = real_data / f"dimabsa2026/eng/eng_{file}_train_alltasks.jsonl"
    pairs = [(known.get(key(e.text.strip(), each)), each.polarity) for e in read(path) for each in e.quads]
    judged = [(labels, polarity) for labels, polarity in pairs if labels and len(labels) == 1]
    assert len(judged) == shared
    assert sum(polarity in labels for labels, polarity in judged) / shared == pytest.approx(
        agreement, abs=5e-4
    )
