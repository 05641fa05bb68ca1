"""Forms in which reviews come: several columns, JSON arrays, nested fields, streams; and broken twins."""

import io
import json
from pathlib import Path

import pytest

from aspectlab.errors import AspectlabError, ConfigError, DataError
from aspectlab.readers import Review, ReviewOptions, open_reviews, store_stream
from aspectlab.readers.tables import ReadCounts

HOTELS = "id,hotel,city,pros,cons,stars\n1,Sea,Rome,Good soup.,Slow staff.,4\n2,Hill,Oslo,,Cold room.,2\n"


def write(folder: Path, content: str, name: str = "a.csv") -> Path:
    (folder / name).write_text(content, encoding="utf-8")
    return folder / name


def read(path: Path, reading: ReviewOptions | None = None) -> tuple[list[Review], ReadCounts]:
    tally = ReadCounts()
    return list(open_reviews([path], reading).read(tally)), tally


def test_several_text_columns_make_one_review_that_knows_its_parts(tmp_path: Path) -> None:
    reviews, _ = read(write(tmp_path, HOTELS), ReviewOptions(text=["pros", "cons"], group="hotel"))
    assert [review.text for review in reviews] == ["Good soup.\n\nSlow staff.", "Cold room."]
    assert reviews[0].parts == ((0, "pros"), (12, "cons"))
    assert reviews[1].parts == ((0, "cons"),)
    assert [reviews[0].carry(start)[0] for start in (0, 9, 12, 20)] == ["pros", "pros", "cons", "cons"]


def test_row_without_any_of_the_texts_is_empty(tmp_path: Path) -> None:
    path = write(tmp_path, f"{HOTELS}3,Hill,Oslo,,,1\n")
    reviews, tally = read(path, ReviewOptions(text=["pros", "cons"]))
    assert (len(reviews), tally.empty) == (2, 1)


def test_several_group_columns_are_compared_together(tmp_path: Path) -> None:
    reviews, _ = read(write(tmp_path, HOTELS), ReviewOptions(text="cons", group=["hotel", "city"]))
    assert [review.group for review in reviews] == ["Sea · Rome", "Hill · Oslo"]


@pytest.mark.parametrize(
    ("reading", "message"),
    [
        (ReviewOptions(text=["pros", "con"]), "a.csv: --text-column = 'con': .* did you mean 'cons'"),
        (ReviewOptions(text="cons", group=["hotel", "town"]), "a.csv: --group-by = 'town'"),
        (ReviewOptions(text=["pros", ""]), "--text-column '': expected the name of a column"),
        (ReviewOptions(text=[""]), "--text-column '': expected the name of a column"),
    ],
)
def test_column_that_is_missing_among_several_is_refused(
    tmp_path: Path, reading: ReviewOptions, message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        open_reviews([write(tmp_path, HOTELS)], reading)


def test_other_columns_are_carried_and_named_without_clashes(tmp_path: Path) -> None:
    content = "id,review,category,Probability,region\n1,Good soup.,x,y,North\n2,Bad soup.,z,,\n"
    reviews = open_reviews([write(tmp_path, content)], ReviewOptions(group=""))
    assert reviews.more_columns == ["category (input)", "Probability (input)", "region"]
    carried = [review.carry(0) for review in reviews.read(ReadCounts())]
    assert carried == [("x", "y", "North"), ("z", "", "")]


def test_columns_of_several_files_are_carried_by_name(tmp_path: Path) -> None:
    paths = [
        write(tmp_path, "review,region,tag\nGood soup and bread.,North,a\n", "a.csv"),
        write(tmp_path, "review,tag,size\nBad soup and bread.,b,7\n", "b.csv"),
    ]
    reviews = open_reviews(paths, ReviewOptions(group=""))
    assert reviews.more_columns == ["region", "tag", "size"]
    assert [review.carry(0) for review in reviews.read(ReadCounts())] == [("North", "a", ""), ("", "b", "7")]


def test_bytes_that_are_no_text_in_a_carried_cell_cost_no_review(tmp_path: Path) -> None:
    rows = [b"id,review,remark", b"1,Caf\xc3\xa9 soup is good.,ok", b"2,Good soup.,\xff"]
    (tmp_path / "a.csv").write_bytes(b"\n".join(rows))
    reviews, tally = read(tmp_path / "a.csv", ReviewOptions(encoding="utf-8"))
    assert [review.carry(0) for review in reviews] == [("ok",), ("?",)]
    assert tally.broken == 0


RECORDS = [
    {"id": 7, "review": {"title": "Nice", "body": "Good soup and bread."}, "tags": ["a"]},
    {"id": 8, "review": {"title": "Sad", "body": "Bad soup and bread."}},
]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_json_array_with_nested_fields_is_read(tmp_path: Path, indent: int | None, name: str) -> None:
    path = write(tmp_path, json.dumps(RECORDS, indent=indent), name)
    reviews, _ = read(path, ReviewOptions(text="review.body"))
    assert [(review.id, review.text) for review in reviews] == [
        ("7", "Good soup and bread."),
        ("8", "Bad soup and bread."),
    ]
    assert open_reviews([path]).files[0].describe()["text"] == "review.body"


def test_json_array_is_read_piece_by_piece(tmp_path: Path) -> None:
    texts = [f"Good soup number {number} [and, bread]." for number in range(20_000)]
    path = write(tmp_path, json.dumps([{"text": text} for text in texts]), "a.json")
    assert [review.text for review in read(path)[0]] == texts


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "expected JSON objects, in lines or in an array"),
        ('[{"text": "Good soup."},\n', "item 2: found no end of the array"),
        ('[{"text": "Good soup."}, {"te', r"item 2: found .*which is no JSON value"),
        ('{"review": {"title": "a"}}', "--text-column = 'review.body': the file has no such column"),
    ],
)
def test_json_that_is_broken_or_lacks_the_field_is_refused(
    tmp_path: Path, content: str, message: str
) -> None:
    path = write(tmp_path, content, "a.json")
    with pytest.raises(AspectlabError, match=message):
        open_reviews([path], ReviewOptions(text="review.body" if "review" in content else None))


def test_json_array_that_breaks_midway_keeps_what_was_read(tmp_path: Path) -> None:
    items = ", ".join(json.dumps({"text": f"Good soup number {number}."}) for number in range(500))
    reviews, tally = read(write(tmp_path, f"[{items}, oops]", "a.json"))
    assert (len(reviews), tally.broken) == (500, 1)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"id,review\n1,Good soup.\n", "stdin.csv"),
        (b'{"text": "Good soup."}\n', "stdin.json"),
        (b'[{"text": "Good soup."}]', "stdin.json"),
        (b"Good soup.\n", "stdin.txt"),
    ],
)
def test_stream_is_stored_as_what_it_looks_like(tmp_path: Path, content: bytes, name: str) -> None:
    path = store_stream(io.BytesIO(content), tmp_path)
    assert path.name == name
    assert [review.text for review in read(path)[0]] == ["Good soup."]


def test_stream_that_holds_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="found nothing"):
        open_reviews([store_stream(io.BytesIO(), tmp_path)])
