"""Three lines a record: the aspect goes back into the sentence, at each `$T$`."""

from collections import Counter
from pathlib import Path

import pytest

from aspectlab.data import Example, Part, Polarity, Quad, Span, Term
from aspectlab.readers import read
from tests.support.tables import refusal

RECORD = "The $T$ glows .\nold lamp\n1\n"
LAMP = Quad(aspect=Term("old lamp", Span(4, 12)), polarity=Polarity.POSITIVE)


def make(folder: Path, content: str | bytes) -> Path:
    path = folder / "sample.raw"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content",
    [
        RECORD * 2,
        (RECORD * 2).rstrip("\n"),
        (RECORD * 2).replace("\n", "\r\n"),
        RECORD + "\n  \n" + RECORD + "\n",
        "\ufeff" + RECORD * 2,
        RECORD.replace("old lamp", " old lamp\u00a0").replace("1", " 1 ") * 2,
    ],
)
def test_threeline_records_become_examples(tmp_path: Path, content: str) -> None:
    corpus = read(make(tmp_path, content), "three-line")
    text = "The old lamp glows ."
    assert corpus.examples == (Example("1", text, (LAMP,)), Example("2", text, (LAMP,)))
    assert corpus.annotates == {Part.ASPECT, Part.POLARITY}


@pytest.mark.parametrize(
    ("label", "polarity"),
    [
        *(("-1", Polarity.NEGATIVE), ("0", Polarity.NEUTRAL), ("1", Polarity.POSITIVE)),
        # the words of PyABSA's copies of these files
        *(("Negative", Polarity.NEGATIVE), ("Neutral", Polarity.NEUTRAL), ("Positive", Polarity.POSITIVE)),
    ],
)
def test_threeline_label_names_the_polarity(tmp_path: Path, label: str, polarity: Polarity) -> None:
    (example,) = read(make(tmp_path, f"$T$\nlamp\n{label}"))
    assert example.quads[0].polarity is polarity


@pytest.mark.parametrize(
    ("template", "text", "start"),
    [
        ("  $T$ glows \t", "  lamp glows \t", 2),
        ("$T$ , see $T$ and $T$", "lamp , see lamp and lamp", 0),
        ("one\u2028line with $T$\x85", "one\u2028line with lamp\x85", 14),
        ("$T$T$", "lampT$", 0),
    ],
)
def test_threeline_every_mark_is_replaced_and_the_first_is_the_span(
    tmp_path: Path, template: str, text: str, start: int
) -> None:
    (example,) = read(make(tmp_path, f"{template}\nlamp\n0\n"), "three-line")
    assert example.text == text
    assert example.quads[0].aspect == Term("lamp", Span(start, start + 4))


@pytest.mark.parametrize(
    ("broken", "line", "found"),
    [
        ("The lamp .\nlamp\n1\n", 4, "expected a sentence with $T$"),
        ("The $T$ .\n \n1\n", 5, "found a blank line: expected the aspect"),
        ("The $T$ .\nlamp\n2\n", 6, "found '2': expected one of -1, 0, 1"),
        ("The $T$ .\nlamp\n+1\n", 6, "found '+1'"),
        ("The $T$ .\nlamp\n", 5, "found a record of 2 lines: expected three"),
        ("The $T$ .", 4, "found a record of 1 lines"),
        (f"{'$T$' * 9000}\n{'lamp' * 9000}\n1\n", 4, "found 9,000 times $T$"),
        (b"The $T$ \xff\nlamp\n1\n", 4, "expected UTF-8"),
    ],
)
def test_threeline_broken_record_is_named(tmp_path: Path, broken: str | bytes, line: int, found: str) -> None:
    content = broken.encode() if isinstance(broken, str) else broken
    message = refusal(make(tmp_path, RECORD.encode() + content), "three-line")
    assert f"sample.raw: line {line}: found" in message
    assert found in message


# SOURCES, sections 1 and 8: positive, negative and neutral, as the readme of the Twitter data also says
PUBLISHED = [
    ("twitter/acl-14-short-data/train.raw", (1561, 1560, 3127)),
    ("twitter/acl-14-short-data/test.raw", (173, 173, 346)),
    ("absa_pytorch_seg/Restaurants_Train.xml.seg", (2164, 807, 637)),
    ("absa_pytorch_seg/Restaurants_Test_Gold.xml.seg", (728, 196, 196)),
    ("absa_pytorch_seg/Laptops_Train.xml.seg", (994, 870, 464)),
    ("absa_pytorch_seg/Laptops_Test_Gold.xml.seg", (341, 128, 169)),
]


@pytest.mark.parametrize(("name", "polarities"), PUBLISHED)
def test_threeline_published_counts(real_data: Path, name: str, polarities: tuple[int, ...]) -> None:
    corpus = read(real_data / name)
    found = Counter(example.quads[0].polarity for example in corpus)
    assert (corpus.provenance.format, len(corpus)) == ("three-line", sum(polarities))
    assert tuple(found[polarity] for polarity in list(Polarity)[:3]) == polarities
    assert not any("$T$" in example.text for example in corpus)
