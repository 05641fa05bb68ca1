"""POST /v1/report: a file in, a page out; what cannot be read is told, and nothing is left behind."""

import csv
import io
import json
import socket
import tempfile
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import openpyxl
import pytest

from aspectlab.service.filereport import clean_name
from aspectlab.service.schemas import ReportQuery
from tests.support.quad_predictor import NEVER, PRICEY
from tests.support.service_process import Answer, Running, running, wait_until

ROWS = [("a", "The soup was lovely."), ("b", "The fan is loud."), ("a", "The tea was plain.")]
CSV = "product,review\n" + "".join(f'{product},"{text}"\n' for product, text in ROWS)
BOMB_MB = 300


def send(service: Running, name: str, content: object, query: str = "") -> Answer:
    return service.ask("POST", f"/v1/report?name={quote(name)}{query}", content)


def workbook(rows: list[tuple[str, ...]]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def bomb(part: str = "xl/worksheets/sheet1.xml") -> bytes:
    """A workbook one of whose parts unpacks to several hundred megabytes."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook([("review",), ("x",)]))) as source,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed,
    ):
        for name in source.namelist():
            if name != part:
                packed.writestr(name, source.read(name))
        with packed.open(part, "w", force_zip64=True) as entry:
            entry.write(b"<worksheet><sheetData>")
            for _ in range(BOMB_MB):
                entry.write(b"<row><c><v>1</v></c></row>" * 40_330)
    return stream.getvalue()


FILES = {
    "reviews.csv": CSV.encode(),
    "reviews.tsv": CSV.replace(",", "\t").encode(),
    "reviews.txt": "\n".join(text for _, text in ROWS).encode(),
    "reviews.jsonl": "\n".join(json.dumps({"review": text}) for _, text in ROWS).encode(),
    "reviews.xlsx": workbook([("product", "review"), *ROWS]),
    "windows.csv": CSV.replace("lovely", "lovely café").encode("cp1252"),
    "wide.csv": CSV.encode("utf-16"),
}


@pytest.mark.parametrize("name", FILES)
def test_report_is_made_of_every_format(service: Running, name: str) -> None:
    answer = send(service, name, FILES[name])
    assert answer.status == 200, answer.body[:500]
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"].startswith("sandbox allow-scripts allow-downloads")
    page = answer.body.decode()
    assert "lovely" in page
    assert tempfile.gettempdir() not in page


def test_report_is_made_of_parquet(service: Running, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="Parquet needs duckdb")
    path = tmp_path / "a.parquet"
    duckdb.sql("SELECT 'The fan is loud.' AS review").write_parquet(str(path))
    assert send(service, "a.parquet", path.read_bytes()).status == 200


def test_report_takes_columns_from_the_query(service: Running) -> None:
    table = "one,two\nThe fan is loud and it is a long text.,The tea was plain.\n"
    page = send(service, "a.csv", table.encode(), "&text_column=two").body.decode()
    assert "plain" in page
    assert "loud" not in page


@pytest.mark.parametrize("form", ["csv", "json"])
def test_report_comes_as_a_table_or_as_counts(service: Running, form: str) -> None:
    answer = send(service, "a.csv", b"id,review\n7,The tea was plain and lovely.\n", f"&format={form}")
    assert answer.status == 200
    if form == "json":
        assert answer.headers["content-type"] == "application/json"
        assert json.loads(answer.body)["totals"]["reviews"] == 1
    else:
        assert answer.headers["content-type"] == "text/csv; charset=utf-8"
        (row, *_) = csv.DictReader(io.StringIO(answer.body.decode()))
        assert row["review"] == "7"


def test_form_of_a_report_is_what_the_client_accepts() -> None:
    query = ReportQuery(name="a.csv")
    asked = ["", "*/*", "text/csv", "image/png, application/json;q=0.9", "text/html,text/csv"]
    assert [query.choose_form(each) for each in asked] == ["html", "html", "csv", "json", "html"]
    assert ReportQuery(name="a.csv", format="csv").choose_form("text/html") == "csv"


def test_report_leaves_out_what_is_less_probable(service: Running) -> None:
    # .9 for the price, .4 for never again
    page = send(service, "a.csv", f"review\n{PRICEY} {NEVER}\n", "&min_probability=0.5").body.decode()
    assert "<small>in 2 sentences, 1 less probable one left out</small>" in page
    assert '<span class="chip"><bdi>restaurant: prices</bdi> not named</span>' in page


@pytest.mark.parametrize("least", ["2", "-1", "nan", "much"])
def test_report_refuses_a_minimum_that_is_no_probability(service: Running, least: str) -> None:
    assert send(service, "a.csv", CSV, f"&min_probability={least}").status == 422


def test_report_is_made_of_numbers_with_a_separator_behind_them(service: Running) -> None:
    rows = "".join(f"The fan is loud {number}.,{number % 5 + 1}\x1c\n" for number in range(12))
    assert send(service, "a.csv", f"comment,helpful\n{rows}".encode()).status == 200


def test_report_shows_hostile_text_as_text(service: Running) -> None:
    hostile = '<script>alert(1)</script><img src=x onerror=alert(2)> "]]></script>\u202e'
    table = (
        f'product,review\n"{hostile.replace(chr(34), chr(34) * 2)}","{hostile[:50]} The fan is loud."\n' * 3
    )
    answer = send(service, f"{hostile}.csv", table.encode())
    assert answer.status == 200
    page = answer.body.decode()
    assert "<script>alert" not in page
    assert "<img" not in page


@pytest.mark.parametrize("cell", ["=cmd|' /C calc'!A0", "@SUM(1+1)*cmd", "+1-1", "-2+3+cmd"])
def test_report_takes_formula_cells_as_text(service: Running, cell: str) -> None:
    rows = [("product", "review"), (cell, f"{cell} The fan is loud."), (cell, "The tea was plain.")]
    table = "".join(f'"{product}","{text}"\n' for product, text in rows).encode()
    assert send(service, "a.csv", table).status == 200


BROKEN = {
    "empty.csv": b"",
    "blank.txt": b" \n \n",
    "no-text.csv": b"id,review\n1,\n2,\n",
    "no-book.xlsx": b"PK\x03\x04 no workbook",
    "cut.xlsx": FILES["reviews.xlsx"][:2000],
    "no.parquet": b"PAR1" + b"\x00" * 100 + b"PAR1",
    "packed.csv": b"\x1f\x8b\x08" + b"x" * 50,
    "array.json": b"[1, 2]",
    "broken.jsonl": b"{\n{\n",
}


@pytest.mark.parametrize("name", BROKEN)
def test_report_says_why_a_file_cannot_be_read(service: Running, name: str) -> None:
    answer = send(service, name, BROKEN[name])
    assert (answer.status, answer.code) == (422, "unreadable_file"), answer.body
    message = answer.json()["error"]["message"]
    assert message.startswith(name)
    assert tempfile.gettempdir() not in message


@pytest.mark.parametrize(
    "query", ["", "?name=", "?name=" + "x" * 201, "?name=a.csv&unknown=1", "?title=a.csv"]
)
def test_report_refuses_a_wrong_query(service: Running, query: str) -> None:
    answer = service.ask("POST", f"/v1/report{query}", b"x")
    assert (answer.status, answer.code) == (422, "invalid_request")


def test_report_of_a_form_is_refused_lest_its_borders_be_reviews(service: Running) -> None:
    form = b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\n' + CSV.encode() + b"\r\n--x--\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = service.ask("POST", "/v1/report?name=a.csv", form, headers)
    assert (answer.status, answer.code) == (415, "form_body")


def test_report_says_that_no_column_is_left_for_the_texts(service: Running) -> None:
    answer = send(service, "a.csv", b"review\nThe fan is loud.\n", "&group_by=review")
    assert (answer.status, answer.code) == (422, "unreadable_file")


def test_report_names_a_column_that_is_not_there(service: Running) -> None:
    answer = send(service, "a.csv", CSV.encode(), "&text_column=nothing")
    assert (answer.status, answer.code) == (422, "unreadable_file")
    assert "nothing" in answer.json()["error"]["message"]


def test_report_does_not_unpack_a_bomb(service: Running) -> None:
    before = service.memory_mb()
    answer = send(service, "bomb.xlsx", bomb())
    assert (answer.status, answer.code) == (413, "body_too_large")
    assert service.memory_mb("VmHWM") < before + 150


@pytest.fixture(scope="module")
def small() -> Iterator[Running]:
    with running(reviews=3, upload_bytes=20_000, reports=1, report_s=2.0) as service:
        yield service


@pytest.mark.parametrize(("rows", "status"), [(3, 200), (4, 413)])
def test_report_has_a_limit_of_reviews(small: Running, rows: int, status: int) -> None:
    answer = send(small, "a.txt", b"The fan is loud.\n" * rows)
    assert answer.status == status


@pytest.mark.parametrize(
    "content", [b"x" * 20_001, (b"x" * 100 for _ in range(300))], ids=["told", "chunked"]
)
def test_report_has_a_limit_of_bytes(small: Running, content: object) -> None:
    answer = send(small, "a.txt", content)
    assert (answer.status, answer.code) == (413, "body_too_large")


def test_report_that_takes_too_long_is_given_up_and_frees_its_place(small: Running) -> None:
    answer = send(small, "a.txt", b"pause 2500 ms\n")
    assert (answer.status, answer.code) == (504, "report_timeout")
    # texts are served meanwhile, after what the model had begun
    assert small.analyze(["The fan is loud."]).status == 200
    assert send(small, "a.txt", b"The fan is loud.\n").status == 200


def test_report_waits_for_its_turn_and_is_told_to_come_back_if_that_does_not_come() -> None:
    with running(reports=1, turn_s=1.5, waiting_reports=2) as service, ThreadPoolExecutor(4) as pool:
        work = [(b"pause 2500 ms\n", 0.0), *[(b"The fan is loud.\n", 0.5)] * 3]
        asked = [pool.submit(send_later, service, content, seconds) for content, seconds in work]
        answers = [one.result() for one in asked]
        assert [answer.status for answer in answers] == [200, 429, 429, 429]
        assert {answer.code for answer in answers[1:]} == {"busy"}
        # who waited in vain keeps nobody waiting
        assert send(service, "a.txt", b"The fan is loud.\n").status == 200


def send_later(service: Running, content: bytes, seconds: float) -> Answer:
    time.sleep(seconds)
    return send(service, "a.txt", content)


def test_report_of_a_client_that_left_the_line_is_not_made(tmp_path: Path) -> None:
    with running(reports=1, scratch=str(tmp_path)) as service, ThreadPoolExecutor(1) as pool:
        long = pool.submit(send, service, "a.txt", b"pause 3000 ms\n")
        assert wait_until(lambda: len(list(tmp_path.glob("*/*"))) == 1, 10)
        with half_upload(service, 10) as client:
            client.sendall(b"x")
            assert wait_until(lambda: len(list(tmp_path.glob("*/*"))) == 2, 10)
        # noticed within a second, long before its turn
        assert wait_until(lambda: len(list(tmp_path.glob("*/*"))) == 1, 2.5)
        assert long.result().status == 200


@contextmanager
def half_upload(service: Running, sent: int) -> Iterator[socket.socket]:
    """A client that goes on sending its file, but never to the end."""
    head = f"POST /v1/report?name=a.txt HTTP/1.1\r\nHost: localhost\r\nContent-Length: {sent + 1}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", service.port)) as client:
        client.sendall(head.encode() + b"x" * sent)
        time.sleep(0.2)
        yield client


def test_upload_that_trickles_keeps_no_place_from_others(small: Running) -> None:
    with half_upload(small, 10):
        assert send(small, "a.txt", b"The fan is loud.\n").status == 200


def test_uploads_are_limited_together_lest_they_fill_the_disk() -> None:
    with running(upload_bytes=20_000, uploads=2) as service:
        with half_upload(service, 19_000), half_upload(service, 10_000):
            answer = send(service, "a.txt", b"The fan is loud.\n" * 400)
            assert (answer.status, answer.code) == (429, "busy")
            # the last room is for those that need little
            assert send(service, "a.txt", b"The fan is loud.\n" * 200).status == 200
        assert wait_until(lambda: send(service, "a.txt", b"The fan is loud.\n" * 400).status == 200, 5)


def test_report_leaves_no_file_behind(tmp_path: Path) -> None:
    with running(upload_bytes=20_000, scratch=str(tmp_path)) as service:
        send(service, "a.csv", CSV.encode())
        send(service, "b.xlsx", b"PK")
        send(service, "c.csv", (b"x" * 1000 for _ in range(30)))
        service.end()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("reviews.csv", "reviews.csv"),
        ("/etc/passwd", "passwd.txt"),
        ("..", "upload.txt"),
        (".csv", "upload.csv"),
        ("a\x00b.CSV", "a_b.csv"),
        ("a/b\\c.xlsx", "c.xlsx"),
        ("naïve.txt", "naïve.txt"),
        ("x" * 200 + ".csv", "x" * 80 + ".csv"),
        ("a.<script>", "a.script"),
        ("\ud800.csv", "upload.csv"),
    ],
)
def test_clean_name_leads_nowhere(name: str, expected: str) -> None:
    assert clean_name(name) == expected


def test_report_names_what_a_client_can_set(service: Running) -> None:
    answer = send(service, "a.csv", CSV, "&group_by=Prod")
    message = answer.json()["error"]["message"]
    assert message == "a.csv: group_by = 'Prod': the file has no such column: There are: product, review"


def test_report_takes_the_encoding_of_a_file(service: Running) -> None:
    # the byte 80 is no UTF-8: it is the euro sign in Windows-1252, and U+2500 in KOI8-R
    content = CSV.replace("lovely.", "lovely for 5 \N{EURO SIGN}.").encode("cp1252")
    guessed = send(service, "a.csv", content).body.decode()
    assert "a.csv: not UTF-8: read as cp1252; name another with encoding" in guessed
    assert "\u2500" in send(service, "a.csv", content, "&encoding=koi8-r").body.decode()
