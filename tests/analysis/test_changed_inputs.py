"""Files that change while they are analysed give no result, and never a mixed one."""

import gzip
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from aspectlab.analysis import Settings, analyze, pipeline, prepare
from aspectlab.analysis.pipeline import can_resume, load_finished
from aspectlab.data import Quad
from aspectlab.errors import DataError
from aspectlab.readers.tables.parquetfile import write_rows
from tests.support.keyword_predictor import KeywordPredictor

pytest.importorskip("duckdb")

RESULTS = ("opinions.csv", "opinions.parquet", "analysis.json")
BLOCKS = Settings(block=2)
CHANGED = "than when this analysis began: expected files that stay .* run the same command again"


def lines_of(word: str, count: int = 12) -> str:
    """Reviews of one length, whatever the word of four letters."""
    return "\n".join(["id,text", *(f"{number},The food was {word}." for number in range(count))]) + "\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "reviews.csv"
    path.write_text(lines_of("good"), encoding="utf-8")
    return path


def rewrite(path: Path, content: str, *, hidden: bool = False) -> None:
    """Write a file anew; hidden, it looks as if nobody had."""
    status = path.stat()
    path.write_text(content, encoding="utf-8")
    if hidden:
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


class Meddler(KeywordPredictor):
    """Does something to the files at some of its calls."""

    def __init__(self, **deeds: Callable[[], object]) -> None:
        super().__init__()
        self.deeds = deeds

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        found = super().predict(texts)
        self.deeds.get(f"at_{len(self.calls)}", lambda: None)()
        return found


def interrupt() -> None:
    raise KeyboardInterrupt


def results(out: Path) -> list[bytes]:
    return [(out / name).read_bytes() for name in RESULTS]


def check_repaired(source: Path, out: Path) -> None:
    """A second run gives what a first one in another folder gives."""
    assert load_finished(prepare([source], BLOCKS), KeywordPredictor(), out) is None
    analyze(prepare([source], BLOCKS), KeywordPredictor(), out)
    analyze(prepare([source], BLOCKS), KeywordPredictor(), out.with_name("fresh"))
    assert results(out) == results(out.with_name("fresh"))


@pytest.mark.parametrize("call", [1, 3, 6])
@pytest.mark.parametrize(
    "content", [lines_of("good", 4), lines_of("good", 40), lines_of("slow"), "id,text\n", "", "text\nFine\n"]
)
def test_reviews_that_changed_during_the_work_were_filed_as_the_old_ones(
    source: Path, tmp_path: Path, content: str, call: int
) -> None:
    meddler = Meddler(**{f"at_{call}": lambda: rewrite(source, content)})
    with pytest.raises(DataError, match=CHANGED):
        analyze(prepare([source], BLOCKS), meddler, tmp_path / "out")
    assert not (tmp_path / "out" / "analysis.json").exists()
    rewrite(source, lines_of("fair", 5))
    check_repaired(source, tmp_path / "out")


def test_reviews_that_changed_before_the_work_were_filed_as_the_old_ones(
    source: Path, tmp_path: Path
) -> None:
    prepared, predictor = prepare([source], BLOCKS), KeywordPredictor()
    rewrite(source, lines_of("slow"))
    with pytest.raises(DataError, match=CHANGED):
        analyze(prepared, predictor, tmp_path / "out")
    assert predictor.calls == []
    check_repaired(source, tmp_path / "out")


def test_reviews_that_changed_while_they_were_counted_were_filed_as_the_new_ones(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey = pipeline.survey_reviews

    def meddle(reviews: pipeline.ReviewFiles, language: str | None = None) -> pipeline.Survey:
        found = survey(reviews, language)
        rewrite(source, lines_of("slow", 4))
        return found

    monkeypatch.setattr(pipeline, "survey_reviews", meddle)
    with pytest.raises(DataError, match=CHANGED):
        prepare([source], BLOCKS)


def test_reviews_that_changed_behind_the_work_were_filed_as_the_old_ones(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assemble = pipeline.assemble

    def meddle(*parts: object, **options: object) -> object:
        rewrite(source, lines_of("slow"))
        return assemble(*parts, **options)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "assemble", meddle)
        with pytest.raises(DataError, match=CHANGED):
            analyze(prepare([source], BLOCKS), KeywordPredictor(), tmp_path / "out")
    check_repaired(source, tmp_path / "out")


def test_second_of_several_files_changed_unseen(source: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text(lines_of("slow"), encoding="utf-8")
    meddler = Meddler(at_2=lambda: rewrite(other, lines_of("slow", 3)))
    with pytest.raises(DataError, match=rf"^{other}: found other content {CHANGED}"):
        analyze(prepare([source, other], BLOCKS), meddler, tmp_path / "out")
    assert len(meddler.calls) < 12


def test_reviews_that_changed_unseen_and_back_are_noticed(source: Path, tmp_path: Path) -> None:
    # as long as before, at the same time: only what was read tells
    meddler = Meddler(
        at_1=lambda: rewrite(source, lines_of("slow"), hidden=True),
        at_2=lambda: rewrite(source, lines_of("good"), hidden=True),
    )
    first = prepare([source], BLOCKS)
    rewrite(source, lines_of("slow"), hidden=True)
    with pytest.raises(DataError, match=CHANGED):
        analyze(first, meddler, tmp_path / "out")
    rewrite(source, lines_of("good"), hidden=True)
    check_repaired(source, tmp_path / "out")


# the second has more reviews, in as many bytes: blocks of it stand behind the last of the first
@pytest.mark.parametrize(
    ("other", "call"), [(lines_of("slow"), 5), ("id,text\n" + "1,Bad food.\n" * 20 + "1,Bad food...\n", 9)]
)
def test_blocks_of_other_content_were_mixed_in(source: Path, tmp_path: Path, other: str, call: int) -> None:
    prepared, out = prepare([source], BLOCKS), tmp_path / "out"
    rewrite(source, other, hidden=True)
    assert len(other) == len(lines_of("good"))
    with pytest.raises(KeyboardInterrupt):
        analyze(prepared, Meddler(**{f"at_{call}": interrupt}), out)
    rewrite(source, lines_of("good"), hidden=True)
    assert can_resume(prepare([source], BLOCKS), KeywordPredictor(), out)
    check_repaired(source, out)


def test_resumed_work_that_changes_is_refused(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        analyze(prepare([source], BLOCKS), Meddler(at_3=interrupt), out)
    meddler = Meddler(at_1=lambda: rewrite(source, lines_of("slow", 3)))
    with pytest.raises(DataError, match=CHANGED):
        analyze(prepare([source], BLOCKS), meddler, out)
    check_repaired(source, out)


def test_blocks_of_a_version_without_digests_are_done_again(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        analyze(prepare([source], BLOCKS), Meddler(at_3=interrupt), out)
    for path in (out / ".work").glob("0*.jsonl.gz"):
        path.write_bytes(gzip.compress(b"[2, 2, 2]\n"))
    check_repaired(source, out)


def test_file_that_is_only_touched_has_not_changed(source: Path, tmp_path: Path) -> None:
    touch = source.touch
    meddler = Meddler(at_1=touch, at_2=lambda: rewrite(source, lines_of("good")), at_4=touch)
    assert analyze(prepare([source], BLOCKS), meddler, tmp_path / "out").aggregate.totals.opinions == 12


def test_file_that_is_gone_is_named(source: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"reviews\.csv: cannot be read: No such file"):
        analyze(prepare([source], BLOCKS), Meddler(at_1=source.unlink), tmp_path / "out")


@pytest.mark.parametrize("content", [b"", b"\0\xff" * 900, b"PAR1PAR1", None])
@pytest.mark.parametrize("name", ["a.parquet", "a.jsonl", "a.txt", "a.csv"])
def test_other_bytes_in_the_middle_of_the_work_are_a_change(
    name: str, content: bytes | None, tmp_path: Path
) -> None:
    path = tmp_path / name
    words = [f"The food was good, and that {number} times." for number in range(5000)]
    if name == "a.parquet":
        write_rows(path, ({"text": text} for text in words), {"text": "VARCHAR"})
    else:
        forms = {"a.jsonl": '{{"text": "{}"}}', "a.txt": "{}", "a.csv": '"{}"'}
        path.write_text(
            "text\n" * (name == "a.csv") + "\n".join(map(forms[name].format, words)), encoding="utf-8"
        )
    half = path.read_bytes()[: path.stat().st_size // 2]
    meddler = Meddler(at_1=lambda: path.write_bytes(half if content is None else content))
    with pytest.raises(DataError, match=CHANGED):
        analyze(prepare([path], Settings(block=100)), meddler, tmp_path / "out")
