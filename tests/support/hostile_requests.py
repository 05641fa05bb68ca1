"""Hostile requests, drawn by a seed: each with the statuses that are right for it."""

import io
import json
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from urllib.parse import quote

import duckdb
import openpyxl

JSON = {"Content-Type": "application/json"}
REFUSED = frozenset({400, 413, 415, 422})
MARKUP = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</textarea><svg onload=alert(1)>",
    "javascript:alert(1)",
    "{{7*7}}${7*7}",
    "' OR 1=1 --",
    "=cmd|' /C calc'!A0",
    "@SUM(1)",
    "\u202e\u2066 bidi \u2069",
    "Z\u0351\u0352\u0353a\u0354lgo" * 20,
    "\x00\x01\x07\x1b[31m",
    "\ufeff\ufffe\uffff",
    "👩‍👩‍👧‍👦🇩🇪" * 10,
    "%s%n%x" * 10,
    "../" * 30 + "etc/passwd",
]
NAMES = [
    "a.csv",
    "a.tsv",
    "a.jsonl",
    "a.json",
    "a.txt",
    "a.xlsx",
    "a.parquet",
    "a",
    "..",
    "<b>.csv",
    "a\x00.csv",
]


@dataclass(frozen=True)
class Hostile:
    """A request, and how the service may answer it."""

    kind: str
    method: str
    path: str
    body: bytes | None
    headers: dict[str, str] = field(default_factory=dict)
    right: frozenset[int] = REFUSED


def draw(rng: Random) -> Hostile:
    """Draw one hostile request."""
    return rng.choice(KINDS)(rng)


def _analyze(kind: str, body: bytes, right: set[int], headers: dict[str, str] | None = None) -> Hostile:
    return Hostile(kind, "POST", "/v1/analyze", body, JSON if headers is None else headers, frozenset(right))


def broken_json(rng: Random) -> Hostile:
    body = bytearray(
        json.dumps({"texts": ["The fan is loud."], "options": {"min_probability": 0.5}}).encode()
    )
    for _ in range(rng.randint(1, 5)):
        place = rng.randrange(len(body))
        change = rng.randrange(3)
        if change == 0:
            del body[place]
        elif change == 1:
            body[place] = rng.randrange(256)
        else:
            body.insert(place, rng.randrange(256))
    return _analyze("broken json", bytes(body), {200, 400, 422})


def cut_json(rng: Random) -> Hostile:
    body = json.dumps({"texts": [rng.choice(MARKUP)]}).encode()
    return _analyze("cut json", body[: rng.randrange(len(body))], {400, 422})


def noise(rng: Random) -> Hostile:
    return _analyze("noise", rng.randbytes(rng.randint(0, 2000)), {400, 422})


def wrong_type(rng: Random) -> Hostile:
    wrong = rng.choice([None, True, 1, -1.5, "", {}, {"a": []}, [1], [None], [[]], [{}], [True], ["x", 1]])
    body = rng.choice([{"texts": wrong}, {"texts": ["x"], "options": wrong or 1}, {"text": wrong}, wrong])
    return _analyze("wrong type", json.dumps(body).encode(), {422})


def deep(rng: Random) -> Hostile:
    depth = rng.choice([10, 900, 5_000, 100_000])
    opening, closing = rng.choice([("[", "]"), ('{"a":', "}")])
    body = opening * depth + "1" + closing * depth
    if rng.random() < 0.5:
        body = f'{{"texts": [{body}]}}'
    return _analyze("deep", body.encode(), {400, 422})


def huge_number(rng: Random) -> Hostile:
    number = rng.choice(
        ["9" * 5000, "1e999", "-1e999", "NaN", "Infinity", "1" * 4000, "0." + "3" * 5000, "-0"]
    )
    body = f'{{"texts": ["x"], "options": {{"min_probability": {number}}}}}'
    return _analyze("huge number", body.encode(), {200, 400, 422})


def half_pair(rng: Random) -> Hostile:
    half = rng.choice([r"\ud800", r"\udfff", r"\ud83d x", r"\udc00\ud800"])
    body = rng.choice([f'{{"texts": ["{half}"]}}', f'{{"texts": ["x"], "{half}": 1}}'])
    return _analyze("half pair", body.encode(), {422})


def text(rng: Random) -> Hostile:
    texts = [
        "".join(rng.choices(MARKUP, k=rng.randint(0, 20))) + " The fan is loud. "
        for _ in range(rng.randint(1, 5))
    ]
    return _analyze("text", json.dumps({"texts": texts}, ensure_ascii=rng.random() < 0.5).encode(), {200})


def random_text(rng: Random) -> Hostile:
    points = (rng.choice([rng.randrange(0x20, 0x250), rng.randrange(0xE000, 0x11_0000)]) for _ in range(500))
    return _analyze("random text", json.dumps({"texts": ["".join(map(chr, points))]}).encode(), {200})


def long_text(rng: Random) -> Hostile:
    unit = rng.choice(["a", "a. ", "\n", ". ", "!?", "🙂", "<br>", "Dr. ", '"', " ", "é"])
    length = rng.choice([1_000, 19_999, 20_000, 20_001, 50_000])
    content = (unit * length)[:length]
    status = 200 if length <= 20_000 else 422
    return _analyze("long text", json.dumps({"texts": [content]}).encode(), {status})


def many_texts(rng: Random) -> Hostile:
    number = rng.choice([100, 256, 257, 5_000])
    return _analyze(
        "many texts", json.dumps({"texts": ["x"] * number}).encode(), {200 if number <= 256 else 422}
    )


def large(rng: Random) -> Hostile:
    body = b'{"texts": ["' + b"x" * rng.choice([2_100_000, 3_000_000]) + b'"]}'
    return _analyze("large", body, {413})


def wrong_header(rng: Random) -> Hostile:
    headers = rng.choice(
        [
            {"Content-Type": "text/html"},
            {"Content-Type": "application/xml; charset=x"},
            {"Content-Type": ""},
            JSON | {"Content-Encoding": rng.choice(["gzip", "deflate", "br", "zstd", "x" * 500])},
        ]
    )
    return _analyze("wrong header", b'{"texts": ["x"]}', {415}, headers)


def odd_header(rng: Random) -> Hostile:
    name = rng.choice(
        ["Accept", "Cookie", "Referer", "X-Forwarded-For", "Range", "If-None-Match", "Authorization"]
    )
    value = rng.choice(["x" * 5_000, "';--", "<script>", "bytes=0-1,-1", "\xff\xfe", "*"])
    return _analyze("odd header", b'{"texts": ["x"]}', {200}, JSON | {name: value})


def wrong_path(rng: Random) -> Hostile:
    path = rng.choice(
        [
            "/" + "a" * rng.randint(1, 5_000),
            "/%00",
            "/%ff%fe",
            "/..%2f..%2fetc/passwd",
            "//",
            "/v1/analyze/../report",
            "/page/index.html",
            "/v1/" + quote(rng.choice(MARKUP)),
        ]
    )
    return Hostile("wrong path", rng.choice(["GET", "POST", "HEAD"]), path, None, {}, frozenset({404}))


def wrong_method(rng: Random) -> Hostile:
    path, known = rng.choice(
        [("/v1/analyze", "POST"), ("/v1/report", "POST"), ("/healthz", "GET"), ("/", "GET")]
    )
    method = rng.choice([m for m in ["GET", "PUT", "PATCH", "DELETE", "TRACE", "FOO", "POST"] if m != known])
    return Hostile("wrong method", method, path, None, {}, frozenset({405}))


def _upload(kind: str, name: str, body: bytes, right: set[int]) -> Hostile:
    return Hostile(kind, "POST", f"/v1/report?name={quote(name)}", body, {}, frozenset(right))


def noise_file(rng: Random) -> Hostile:
    start = rng.choice(
        [b"", b"PK\x03\x04", b"PAR1", b"\x1f\x8b", b"\xff\xfe", b"\xef\xbb\xbf", b"{", b"<?xml?>"]
    )
    return _upload("noise file", rng.choice(NAMES), start + rng.randbytes(rng.randint(0, 3_000)), {200, 422})


def formula_file(rng: Random) -> Hostile:
    rows = [
        f'"{rng.choice(MARKUP)}","{rng.choice(MARKUP)} The fan is loud."' for _ in range(rng.randint(1, 8))
    ]
    return _upload(
        "formula file", rng.choice(["a.csv", "b.txt"]), "\n".join(["product,review", *rows]).encode(), {200}
    )


def odd_table(rng: Random) -> Hostile:
    cells = [
        "",
        "x",
        '"',
        '""',
        '"a\nb"',
        ",",
        ";",
        "\t",
        "9" * 400,
        "2025-01-01",
        "\x00",
        "é".encode("latin-1").decode("latin-1"),
    ]
    rows = [
        rng.choice(",;\t|").join(rng.choices(cells, k=rng.randint(1, 6))) for _ in range(rng.randint(1, 30))
    ]
    return _upload("odd table", rng.choice(["a.csv", "a.tsv"]), "\n".join(rows).encode(), {200, 422})


def odd_lines(rng: Random) -> Hostile:
    lines = [
        "{}",
        "[]",
        "1",
        '{"review": "The fan is loud."}',
        '{"review": null}',
        "{" * 2_000,
        '{"review": "\\ud800"}',
    ]
    return _upload(
        "odd lines", "a.jsonl", "\n".join(rng.choices(lines, k=rng.randint(1, 20))).encode(), {200, 422}
    )


def packed_zeros(rng: Random) -> Hostile:
    """A zip bomb that claims to be a workbook."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for part in (
            "xl/workbook.xml",
            "xl/_rels/workbook.xml.rels",
            "xl/sharedStrings.xml",
            "xl/worksheets/sheet1.xml",
        ):
            packed.writestr(part, b"<a>" + b" " * rng.choice([100, 2_000_000]) + b"</a>")
    return _upload("packed zeros", "a.xlsx", stream.getvalue(), {422})


@cache
def _sound_files() -> list[tuple[str, bytes]]:
    """A workbook and a Parquet file that can be read, to be broken."""
    book = openpyxl.Workbook()
    for row in [("id", "review"), *((str(number), "The fan is loud.") for number in range(30))]:
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.parquet"
        duckdb.sql("SELECT 'The fan is loud.' AS review FROM range(30)").write_parquet(str(path))
        return [("a.xlsx", stream.getvalue()), ("a.parquet", path.read_bytes())]


def broken_file(rng: Random) -> Hostile:
    name, sound = rng.choice(_sound_files())
    body = bytearray(sound)
    for _ in range(rng.randint(1, 8)):
        body[rng.randrange(len(body))] = rng.randrange(256)
    cut = len(body) if rng.random() < 0.7 else rng.randrange(len(body))
    return _upload("broken file", name, bytes(body[:cut]), {200, 413, 422})


KINDS: list[Callable[[Random], Hostile]] = [
    *[broken_json, cut_json, noise, wrong_type, deep, huge_number, half_pair, text, random_text, long_text],
    *[many_texts, large, wrong_header, odd_header, wrong_path, wrong_method, noise_file, formula_file],
    *[odd_table, odd_lines, packed_zeros, broken_file],
]
