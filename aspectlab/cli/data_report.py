"""What `aspectlab data` prints: statistics, changes, consistency and overlap as tables and lists."""

from collections.abc import Sequence

from aspectlab.cli.console import print_table, print_text, printable
from aspectlab.data import Change, Corpus, Overlap
from aspectlab.data.statistics import Consistency, Statistics

_COLUMNS = {
    "file": "file",
    "format": "format",
    "sentences": "sentences",
    "unique": "sentences_unique",
    "with aspects": "sentences_with_aspects",
    "multi-polarity": "multi_polarity_sentences",
    "aspects": "aspects",
    "positive": "positive",
    "negative": "negative",
    "neutral": "neutral",
    "conflict": "conflict",
    "triplets": "triplets",
}
"""The columns of `data stats` and the keys of its JSON."""


def print_statistics(described: Sequence[Statistics]) -> None:
    """Print a row per file, and below what each file is."""
    rows = [statistics.to_dict() for statistics in described]
    print_table("", list(_COLUMNS), [[row[key] for key in _COLUMNS.values()] for row in rows])
    for statistics in described:
        known = f" ({statistics.version})" if statistics.version else ""
        digest = f", sha256 {statistics.sha256[:12]}" if statistics.sha256 else ""
        parts = " ".join(statistics.annotates) or "nothing"
        print_text(
            f"{statistics.file}: {statistics.name}{known}, {statistics.language}, annotates {parts}{digest}"
        )
        if means := statistics.intensity:
            values = f"mean valence {means.valence:.2f}, arousal {means.arousal:.2f}"
            print_text(f"  {values}, of {means.opinions:,} opinions")


def print_changes(before: Corpus, after: Corpus, changes: Sequence[Change]) -> None:
    """Print what cleaning changed and what reading mended."""
    print_text(f"{identify(before)}: {len(before):,} examples, {len(after):,} kept")
    for change in changes:
        print_text(f"  {printable(str(change))}")
    print_text(f"  notes on reading: {len(before.provenance.notes):,}")
    for note in before.provenance.notes:
        print_text(f"    {printable(note)}")


def print_consistency(corpus: Corpus, found: Consistency) -> None:
    """Print what is odd in a corpus, kind by kind."""
    print_text(f"{identify(corpus)}, read as {corpus.provenance.format}")
    print_text(f"  examples {found.examples:,}, quads {found.quads:,}, terms {found.terms:,}", end="")
    print_text(f", of which {found.terms_unplaced:,} do not stand in their text")
    for what, listed in (
        ("notes on reading", found.notes),
        ("repeated examples", found.duplicates),
        ("examples that hold one quad twice", found.repeated_quads),
        ("contradicting labels", [_contradiction(c.judged, c.labels) for c in found.contradictions]),
    ):
        print_text(f"  {what}: {len(listed):,}")
        for line in listed:
            print_text(f"    {printable(line)}")


def _contradiction(judged: str, labels: Sequence[tuple[str, str]]) -> str:
    return f"{judged}: " + ", ".join(f"{label} in {id}" for id, label in labels)


def print_overlap(found: Overlap) -> None:
    """Print the test examples that stand in the training set, or nearly."""
    for what, ids, matches in (
        ("test examples that occur in train", found.exact_test_ids, found.exact),
        ("test examples that nearly occur in train", found.near_test_ids, found.near),
    ):
        print_text(f"{what}: {len(ids):,}")
        for match in matches:
            both = f"test {', '.join(match.test)} = train {', '.join(match.train)}"
            print_text(f"  {match.similarity:.2f}  {printable(both)}")


def identify(corpus: Corpus) -> str:
    """Return which data set this is: several go by the same short name."""
    known = f"{corpus.name} ({corpus.provenance.version})" if corpus.provenance.version else corpus.name
    return f"{known}, sha256 {corpus.provenance.sha256[:12]}"
