"""Reading reviews: any table, any encoding, columns found, broken rows counted."""

import codecs
import json
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from aspectlab.errors import AspectlabError, ConfigError, DataError
from aspectlab.readers.reviews import MAX_REVIEW_CHARS, Review, ReviewOptions, open_reviews
from aspectlab.readers.tables.lenient import NAMED_ROWS, ReadCounts

HEADER = ["Review ID", "Product", "Date", "Stars", "Review Text"]
ROWS = [
    ["r1", "Lamp", "2025-01-04", "5", "Bright, warm light and a fair price."],
    ["r2", "Lamp", "2025-02-05", "1", 'It "broke" after a week; never again.'],
    ["r3", "Desk", "2025-02-06", "4", "Solid – and easy to build, too."],
    ["r4", "Desk", "2025-03-07", "3", "An average desk for the café corner."],
]
EXPECTED = [Review(row[0], row[4], row[1], row[2], row[3]) for row in ROWS]


def read(*paths: Path, reading: ReviewOptions | None = None) -> tuple[list[Review], ReadCounts]:
    tally = ReadCounts()
    return list(open_reviews(paths, reading).read(tally)), tally


def as_csv(delimiter: str) -> str:
    quote = '"{}"'.format
    lines = [HEADER, *([*row[:4], quote(row[4].replace('"', '""'))] for row in ROWS)]
    return "\n".join(delimiter.join(line) for line in lines) + "\n"


def write_workbook(path: Path, rows: list[list[object]]) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in rows:
        book.active.append(row)
    book.save(path)


def write_parquet(path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    columns = ", ".join(f'"{name}" VARCHAR' for name in HEADER)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t ({columns}, nested INTEGER[])")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, [1, 2])", ROWS)
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")


@pytest.mark.parametrize(
    "name", ["a.csv", "a.tsv", "semicolon.csv", "pipe.csv", "a.jsonl", "a.xlsx", "a.parquet"]
)
def test_table_of_any_format_gives_the_same_reviews(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    delimiters = {"a.csv": ",", "a.tsv": "\t", "semicolon.csv": ";", "pipe.csv": "|"}
    if name in delimiters:
        path.write_text(as_csv(delimiters[name]), encoding="utf-8")
    elif name == "a.jsonl":
        records = (json.dumps(dict(zip(HEADER, row, strict=True))) for row in ROWS)
        path.write_text("\n".join(records), encoding="utf-8")
    elif name == "a.xlsx":
        write_workbook(path, [[*HEADER], *([*row] for row in ROWS)])
    else:
        write_parquet(path)
    assert read(path)[0] == EXPECTED


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
        ("utf-32-le", codecs.BOM_UTF32_LE),
        ("utf-16-le", b""),
        ("utf-16-be", b""),
        ("cp1252", b""),
    ],
)
def test_encoding_is_recognised(tmp_path: Path, encoding: str, mark: bytes) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(mark + as_csv(",").encode(encoding))
    reviews, tally = read(path)
    assert (reviews, tally.broken) == (EXPECTED, 0)
    notices = open_reviews([path]).notices
    assert bool(notices) == (encoding == "cp1252")
    assert all("cp1252" in notice for notice in notices)


WESTERN = "The café’s crème brûlée was lovely – well spent. Naïve waiter, though."
RUSSIAN = "Номер был чистый, но завтрак холодный. Персонал очень приветливый, спасибо."


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        *(("cp1252", WESTERN), ("mac_roman", WESTERN), ("cp1251", RUSSIAN), ("koi8_r", RUSSIAN)),
        ("cp1253", "Το δωμάτιο ήταν καθαρό, αλλά το πρωινό ήταν κρύο."),
        ("cp932", "部屋はきれいでしたが、朝食は冷たかったです。"),
        ("gb18030", "房间很干净，但是早餐是冷的。服务员非常友好，谢谢。"),
        ("big5", "房間很乾淨，但是早餐是冷的。服務員非常友好，謝謝。"),
        ("cp949", "방은 깨끗했지만 아침 식사는 차가웠습니다."),
    ],
)
@pytest.mark.parametrize("repeats", [1, 30])
def test_old_encoding_is_guessed_and_told(tmp_path: Path, encoding: str, text: str, repeats: int) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("\n".join(["id,text", "0,Plain soup.", *[f'1,"{text}"'] * repeats]).encode(encoding))
    reviews, _ = read(path)
    assert [review.text for review in reviews] == ["Plain soup.", *[text] * repeats]
    assert open_reviews([path]).notices[0].endswith(f"read as {encoding}; name another with --encoding")


def test_file_of_mixed_encodings_is_refused(tmp_path: Path) -> None:
    lines = [f"{WESTERN}\n".encode()] * 2 + [f"{WESTERN}\n".encode("cp1252")] * 3
    (tmp_path / "a.txt").write_bytes(b"".join(lines))
    with pytest.raises(DataError, match="found 2 lines in UTF-8 and 3 in another encoding: expected one"):
        open_reviews([tmp_path / "a.txt"])


def test_encoding_is_recognised_by_a_letter_far_down(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"A plain line of text\n" * 20_000 + "Un café".encode("cp1252"))
    assert read(path)[0][-1].text == "Un café"


def test_encoding_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("Суп".encode("cp1251"))
    assert read(path, reading=ReviewOptions(encoding="cp1251"))[0][0].text == "Суп"


def test_lines_that_cannot_be_decoded_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("Un café\nZwei Cafés à Köln\n".encode() + b"Broken \xff\xfe here\nFine\n")
    reviews, tally = read(path)
    assert [review.text for review in reviews] == ["Un café", "Zwei Cafés à Köln", "Fine"]
    assert tally.skipped == [f"{path}: line 3: found bytes that are no text: row skipped"]


def test_text_has_one_review_a_line_verbatim(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(' "Good" soup, &amp; <b>hot</b> \n\nBad\n', encoding="utf-8")
    assert [(review.id, review.text) for review in read(path)[0]] == [
        ("1", ' "Good" soup, &amp; <b>hot</b> '),
        ("2", "Bad"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "texts", "places"),
    [
        ("a.csv", "id,text\n1,Good soup\n2\n3,So so\n4,a,b\n", ["Good soup", "So so"], ["line 3", "line 5"]),
        ("a.csv", 'id,text\n1,"Good, soup"\n2,"Open\n3,"So, so"\n', ["Good, soup", "So, so"], ["line 3"]),
        (
            "a.jsonl",
            '{"text": "Good soup"}\n{oops\n[1]\n{"text": "So so"}\n',
            ["Good soup", "So so"],
            ["line 2", "line 3"],
        ),
        ("a.jsonl", '{"text": "Good soup"}\n{"text": "\\ud800"}\n', ["Good soup"], ["line 2"]),
    ],
)
def test_broken_rows_are_named_and_skipped(
    tmp_path: Path, name: str, content: str, texts: list[str], places: list[str]
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    reviews, tally = read(tmp_path / name)
    assert [review.text for review in reviews] == texts
    assert [place.split(": ")[1] for place in tally.skipped] == places


def test_broken_rows_are_all_counted_but_few_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,text\n" + "1,Good soup\n" * 99 + "2\n" * 90, encoding="utf-8")
    _, tally = read(tmp_path / "a.csv")
    assert (tally.broken, len(tally.skipped)) == (90, NAMED_ROWS)


def test_empty_and_huge_texts_are_counted(tmp_path: Path) -> None:
    rows = ["Good soup", "", "  ", "a" * (MAX_REVIEW_CHARS + 5)]
    (tmp_path / "a.jsonl").write_text(
        "\n".join(json.dumps({"text": text}) for text in rows), encoding="utf-8"
    )
    reviews, tally = read(tmp_path / "a.jsonl")
    assert (tally.reviews, tally.empty, tally.cut) == (2, 2, 1)
    assert len(reviews[1].text) == MAX_REVIEW_CHARS


def test_workbook_that_breaks_midway_is_refused_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    rows: list[list[object]] = [["text"], *([f"Good soup, take {number}"] for number in range(2000))]
    write_workbook(path, rows)
    content = bytearray(path.read_bytes())
    place = content.find(b"xl/worksheets/sheet1.xml") + 3000
    content[place : place + 40] = bytes(40)
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"workbook: found .*: expected an XLSX"):
        read(path)


@pytest.mark.parametrize(
    ("header", "row", "text"),
    [
        ("id,review,helpful", "1,Good soup and bread,2", "review"),
        ("review,notes", "17,A long note on the soup", "notes"),
        ("title,body", "Yum,Good soup and bread", "body"),
        ("a,b", "soup,Good soup and bread", "b"),
        ("url,Comment", "http://example.com/a-very-long-address-of-a-page,Good soup", "Comment"),
    ],
)
def test_text_column_is_found(tmp_path: Path, header: str, row: str, text: str) -> None:
    (tmp_path / "a.csv").write_text(f"{header}\n{row}\n{row}\n", encoding="utf-8")
    assert open_reviews([tmp_path / "a.csv"]).files[0].describe()["text"] == text


def test_columns_without_usual_names_are_found_by_content(tmp_path: Path) -> None:
    rows = [
        f"{1 + number % 5},{'Lamp' if number % 2 else 'Desk'},A fine thing number {number},{number}.1.2025"
        for number in range(1, 29)
    ]
    (tmp_path / "a.csv").write_text("p,q,r,s\n" + "\n".join(rows), encoding="utf-8")
    found = open_reviews([tmp_path / "a.csv"]).files[0].describe()
    assert found == {"text": "r", "group": "q", "date": "s", "rating": "p"}
    assert read(tmp_path / "a.csv")[0][-1].date == "2025-01-28"


def test_columns_can_be_named_or_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(as_csv(","), encoding="utf-8")
    reading = ReviewOptions(text="product", id="", group="", date="", rating="")
    reviews = read(tmp_path / "a.csv", reading=reading)[0]
    assert replace(reviews[0], carried=()) == Review("1", "Lamp")


def test_column_that_is_misspelt_is_refused_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(as_csv(","), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"a\.csv: --group-by = 'Prod': .* did you mean 'Product'"):
        open_reviews([tmp_path / "a.csv"], ReviewOptions(group="Prod"))


def test_table_without_header_keeps_its_first_row(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1,Good soup and bread.\n2,Bad soup and bread.\n", encoding="utf-8")
    reviews, _ = read(tmp_path / "a.csv")
    assert [review.text for review in reviews] == ["Good soup and bread.", "Bad soup and bread."]


def test_dates_of_a_workbook_are_dates(tmp_path: Path) -> None:
    days = [date(2025, 1, 4), datetime(2025, 1, 5, 10, 30)]
    write_workbook(tmp_path / "a.xlsx", [["date", "text"], *([day, "Good soup"] for day in days)])
    assert [review.date for review in read(tmp_path / "a.xlsx")[0]] == ["2025-01-04", "2025-01-05"]


def test_folder_gives_its_files_in_order_and_no_results(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("Second", encoding="utf-8")
    (tmp_path / "a.txt").write_text("First", encoding="utf-8")
    (tmp_path / "notes.md").write_text("No review", encoding="utf-8")
    (tmp_path / ".hidden.txt").write_text("No review", encoding="utf-8")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "analysis.json").write_text("{}", encoding="utf-8")
    (tmp_path / "old" / "opinions.csv").write_text("No review", encoding="utf-8")
    assert [(review.id, review.text) for review in read(tmp_path)[0]] == [("a-1", "First"), ("b-1", "Second")]


def test_file_that_is_named_by_two_paths_is_read_once(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt"):
        (tmp_path / name).write_text("A warm light", encoding="utf-8")
    (tmp_path / "link.txt").symlink_to("b.txt")
    found = open_reviews([tmp_path / "b.txt", tmp_path / "a.txt", tmp_path / "link.txt", tmp_path / "b.txt"])
    assert [path.name for path in found.paths] == ["b.txt", "a.txt"]


def test_limit_reads_only_the_first_reviews(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One\nTwo\nThree\n", encoding="utf-8")
    assert len(read(tmp_path / "a.txt", reading=ReviewOptions(limit=2))[0]) == 2


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "found nothing"),
        ("a.csv.gz", b"\x1f\x8b\x08\x00", "packed with gzip"),
        ("a.json", b"[1, 2]", "item 1.*|JSON objects, in lines or in an array"),
        ("a.jsonl", b'[\n{"text": "Fine."},\n', "item 2: found no end of the array"),
        ("a.jsonl", b"no json\n", "expected JSON objects, in lines"),
        ("a.xlsx", b"PK\x03\x04broken", "XLSX"),
        (
            "a.xls",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
            "found no workbook: .* export the sheet as CSV",
        ),
        ("a.txt", b"%PDF-1.4\n1 0 obj\n", "a PDF file"),
        ("a.csv", bytes(range(256)) * 4, "bytes that are no text"),
    ],
)
def test_file_that_holds_no_reviews_is_refused(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        open_reviews([tmp_path / name])


def test_missing_file_and_empty_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no review file"):
        open_reviews([tmp_path])
    with pytest.raises(DataError, match="check the path"):
        open_reviews([tmp_path / "absent.csv"])


def test_unknown_encoding_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("One", encoding="utf-8")
    with pytest.raises(ConfigError, match="no such encoding"):
        open_reviews([tmp_path / "a.txt"], ReviewOptions(encoding="utf-9"))


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "txt", "xlsx"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    content=st.one_of(
        st.binary(),
        st.lists(st.sampled_from(['"', ",", "\n", "a b", "{", "\x00", "é", ";"])).map(
            lambda x: "".join(x).encode()
        ),
    )
)
def test_any_bytes_give_reviews_or_our_error(tmp_path: Path, ending: str, content: bytes) -> None:
    path = tmp_path / f"a.{ending}"
    path.write_bytes(content)
    try:
        reviews, _ = read(path)
    except AspectlabError:
        return
    assert all(review.text.strip() for review in reviews)
    assert all(review.text.encode() for review in reviews)


@pytest.mark.parametrize("encoding", ["utf-16", "idna", "punycode"])
def test_encoding_that_does_not_fit_is_refused(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.txt").write_text("One fine day.\n", encoding="utf-8")
    with pytest.raises(DataError, match=f"cannot be read as {encoding}: .*; name another --encoding"):
        open_reviews([tmp_path / "a.txt"], ReviewOptions(encoding=encoding))


def test_group_that_takes_the_only_column_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("review\nGood soup\nBad soup\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="--group-by 'review': no column is left for the texts"):
        open_reviews([tmp_path / "a.csv"], ReviewOptions(group="review"))


def test_json_numbers_that_are_none_are_empty_cells(tmp_path: Path) -> None:
    lines = [
        '{"text": "Good soup", "stars": NaN}',
        '{"text": NaN, "stars": 4}',
        '{"text": "Bad", "stars": 1e999}',
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    reviews, tally = read(tmp_path / "a.jsonl")
    assert [(review.text, review.rating) for review in reviews] == [("Good soup", ""), ("Bad", "")]
    assert tally.empty == 1


def test_dates_of_a_file_sorted_by_date_are_not_read_by_its_first_days(tmp_path: Path) -> None:
    # 400 reviews of 3 April before the first of a 13th: more than are looked at to find the columns
    days = ["03/04/2025"] * 400 + ["13/04/2025"]
    lines = ["date,text", *(f"{day},A lamp with a warm light." for day in days)]
    (tmp_path / "a.csv").write_text("\n".join(lines), encoding="utf-8")
    found, _ = read(tmp_path / "a.csv")
    assert {review.date for review in found} == {"2025-04-03", "2025-04-13"}


def test_second_column_of_texts_is_not_passed_over_in_silence(tmp_path: Path) -> None:
    lines = ["hotel,liked,disliked", *["Inn,The kind people there,The cold and narrow bath"] * 4]
    (tmp_path / "a.csv").write_text("\n".join(lines), encoding="utf-8")
    (said,) = open_reviews([tmp_path / "a.csv"]).notices
    assert said.endswith(
        "column 'liked' looks like text too, and is not analysed: only 'disliked' is; "
        "name each to analyse with --text-column"
    )
    assert not open_reviews([tmp_path / "a.csv"], ReviewOptions(text="liked")).notices


@pytest.mark.parametrize("form", ["{}/5", "{}.0 out of 5 stars", "{} stars"])
def test_ratings_that_say_their_scale_are_no_groups(tmp_path: Path, form: str) -> None:
    rows = [f"{form.format(number)},A lamp with a warm light." for number in (1, 2, 3, 4, 5) * 4]
    (tmp_path / "a.csv").write_text("\n".join(["Urteil,text", *rows]), encoding="utf-8")
    (file,) = open_reviews([tmp_path / "a.csv"]).files
    assert file.describe() == {"text": "text", "rating": "Urteil"}


def test_rating_is_the_same_with_and_without_a_point(tmp_path: Path) -> None:
    cells = ["5", "5.0", '"5,0"', "4.5", "4.0 of 5"]
    lines = ["stars,text", *(f"{cell},A lamp with a warm light." for cell in cells)]
    (tmp_path / "a.csv").write_text("\n".join(lines), encoding="utf-8")
    assert [review.rating for review in read(tmp_path / "a.csv")[0]] == ["5", "5", "5", "4.5", "4.0 of 5"]


@pytest.mark.parametrize(("name", "expected"), [("order", None), ("when", "2001-09-09")])
def test_long_numbers_are_dates_only_where_the_name_says_so(
    tmp_path: Path, name: str, expected: str | None
) -> None:
    # by hand: a billion seconds after 1970 is 9 September 2001
    rows = [f"{1_000_000_000 + number},A lamp with a warm light." for number in range(9)]
    (tmp_path / "a.csv").write_text("\n".join([f"{name},comment", *rows]), encoding="utf-8")
    assert read(tmp_path / "a.csv")[0][0].date == (expected or "")


def test_columns_of_one_name_can_each_be_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "text,text\nA lamp with warm light,A lamp with cold light\n", encoding="utf-8"
    )
    assert (
        read(tmp_path / "a.csv", reading=ReviewOptions(text="text (2)"))[0][0].text
        == "A lamp with cold light"
    )
    (said,) = open_reviews([tmp_path / "a.csv"]).notices
    assert "column 'text (2)' looks like text too" in said


def test_column_whose_name_differs_in_case_is_not_taken_for_the_one_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("Text,text\nA warm light,A cold light\n", encoding="utf-8")
    assert read(tmp_path / "a.csv", reading=ReviewOptions(text="text"))[0][0].text == "A cold light"


def test_files_of_a_folder_that_are_not_read_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "reviews"
    folder.mkdir()
    for name in ("a.txt", "b.csv.gz", "c.doc", ".hidden"):
        (folder / name).write_text("A warm light", encoding="utf-8")
    assert open_reviews([folder]).notices == (
        "reviews: not read, since of another kind: 'b.csv.gz' and 1 more",
    )
