"""`aspectlab data`: results on stdout, notices on stderr, exit codes 0, 1 and 2."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from aspectlab.cli import main
from aspectlab.data import apply_split, read_split
from aspectlab.readers import READERS, read


@dataclass(frozen=True)
class Answer:
    code: object
    out: str
    err: str


Record = dict[str, object]
Command = Callable[..., Answer]

COMMAND = [sys.executable, "-c", "from aspectlab.cli import main; main()"]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run `aspectlab data …` in this process."""

    def call(*words: str | Path) -> Answer:
        monkeypatch.setattr(sys, "argv", ["aspectlab", "data", *map(str, words)])
        with pytest.raises(SystemExit) as stop:
            main()
        return Answer(stop.value.code or 0, *capsys.readouterr())

    return call


def quad(aspect: str, start: int, polarity: str) -> Record:
    return {"aspect": {"text": aspect, "start": start, "end": start + len(aspect)}, "polarity": polarity}


REVIEWS: list[Record] = [
    {
        "id": "1",
        "text": "Good tea, bad cake.",
        "quads": [quad("tea", 5, "positive"), quad("cake", 14, "negative")],
    },
    {"id": "2", "text": "Odd tea.", "quads": [quad("tea", 4, "conflict")]},
    {"id": "3", "text": "Odd tea.", "quads": [quad("tea", 4, "conflict")]},
    {"id": "4", "text": "We left.", "quads": []},
]


def write_lines(path: Path, records: list[Record]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


@pytest.fixture
def reviews(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "reviews.jsonl", REVIEWS)


@pytest.mark.parametrize("command", ["formats", "show", "stats", "convert", "clean", "split", "check"])
def test_help_shows_an_example(run: Command, command: str) -> None:
    answer = run(command, "--help")
    assert answer.code == 0
    assert f"aspectlab data {command}" in answer.out.split("Example:")[1]


def test_formats_lists_the_whole_table(run: Command) -> None:
    records = json.loads(run("formats", "--json").out)
    assert [record["format"] for record in records] == list(READERS)
    assert next(record["format"] for record in records if record["writable"]) == "jsonl"


@pytest.mark.parametrize("format", READERS)
def test_formats_shows_each_format(run: Command, format: str) -> None:
    assert format in run("formats").out


def test_stats_prints_json_per_file(run: Command, reviews: Path) -> None:
    answer = run("stats", reviews, reviews, "--total", "--json")
    records = json.loads(answer.out)
    assert answer.code == 0
    assert [record["file"] for record in records] == [str(reviews), str(reviews), "total"]
    assert [record["sentences"] for record in records] == [4, 4, 8]
    # hand count: three different texts, "tea" and "cake" in one, a conflict in another
    expected = {"sentences_unique": 3, "sentences_with_aspects": 1, "aspects": 2, "conflict": 1}
    assert [{key: record[key] for key in expected} for record in records] == [expected] * 3


def test_stats_prints_a_row_and_the_version_of_each_file(run: Command, reviews: Path) -> None:
    answer = run("stats", reviews)
    assert "multi-polarity" in answer.out
    assert f"{reviews}: reviews, und, annotates aspect polarity, sha256 " in answer.out
    assert answer.err == ""


def test_stats_of_one_file_may_have_a_total(run: Command, reviews: Path) -> None:
    assert [record["file"] for record in json.loads(run("stats", reviews, "--total", "--json").out)][
        1
    ] == "total"


def test_stats_raw_counts_repeated_sentences(run: Command, reviews: Path) -> None:
    assert json.loads(run("stats", reviews, "--raw", "--json").out)[0]["conflict"] == 2


MUSE = (
    "id,segment_id,label_topic,aspect,opinion,sentiment\n1.0,{n}.0,7.0,price,low,pos\n1.0,{n}.0,7.0,-,-,-\n"
)


@pytest.mark.parametrize("shared", [True, False])
def test_stats_takes_one_transcript_for_all_or_one_for_each(
    run: Command, tmp_path: Path, shared: bool
) -> None:
    files = [tmp_path / f"muse{n}.csv" for n in (1, 2)]
    for n, path in enumerate(files, start=1):
        path.write_text(MUSE.format(n=n), "utf-8")
    texts = tmp_path / "texts.csv"
    texts.write_text("id,segment_id,text\n1,1,a low price\n1,2,hello\n", "utf-8")
    chosen = ["--transcripts", texts] * (1 if shared else 2)
    first, second = json.loads(run("stats", *files, *chosen, "--json").out)
    found = [record["triplet_properties"]["implicit_aspects"] for record in (first, second)]
    assert found == [0, 1]
    assert first["triplet_properties"]["empty_rows"] == 1


def test_stats_refuses_transcripts_that_do_not_match_the_files(run: Command, reviews: Path) -> None:
    answer = run("stats", reviews, reviews, reviews, "--transcripts", reviews, "--transcripts", reviews)
    assert answer.code == 2
    assert "--transcripts: found 2 for 3 files: expected one, or one for each" in answer.err


def test_show_marks_and_lists_the_quads(run: Command, reviews: Path) -> None:
    answer = run("show", reviews, "--number", "1")
    assert answer.out == "1  Good tea, bad cake.\n    tea | – | – | positive\n    cake | – | – | negative\n"
    assert "1 of 4 examples of reviews" in answer.err


def test_show_does_not_send_escape_codes_or_markup_to_the_terminal(run: Command, tmp_path: Path) -> None:
    text = "[red]tea[/red] \x1b[31mcake"
    path = write_lines(tmp_path / "odd.jsonl", [{"id": "[b]", "text": text, "quads": []}])
    assert run("show", path).out == "[b]  [red]tea[/red] \ufffd[31mcake\n"


def test_convert_chooses_the_format_by_suffix(run: Command, reviews: Path, tmp_path: Path) -> None:
    out = tmp_path / "reviews.xml"
    answer = run("convert", reviews, out)
    assert (answer.code, answer.out) == (0, "")
    assert "4 examples written as semeval14" in answer.err
    assert read(out).examples == read(reviews).examples


def test_convert_to_a_table_says_that_name_and_language_are_lost(
    run: Command, reviews: Path, tmp_path: Path
) -> None:
    first, *others = REVIEWS
    described = {**first, "corpus": {"name": "tea", "language": "it", "annotates": ["aspect", "polarity"]}}
    write_lines(reviews, [described, *others])
    assert "name and language of the corpus" in run("convert", reviews, tmp_path / "out.csv").err
    assert "name and language" not in run("convert", reviews, tmp_path / "out.jsonl").err


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("out.docx", [], "suffix '.docx': expected one of .jsonl"),
        ("out", [], "suffix '': expected one of .jsonl"),
        ("out.x", ["--to", "semeval15"], "format 'semeval15' is unknown: did you mean 'semeval1"),
        ("out.x", ["--to", "semeval16"], "can only be read: expected one of jsonl"),
        ("out.jsonl", ["--from", "semeval14"], "reviews.jsonl"),
        ("absent/out.jsonl", [], "cannot be written: No such file or directory"),
    ],
)
def test_convert_refuses_with_one_message(
    run: Command, reviews: Path, tmp_path: Path, name: str, options: list[str], message: str
) -> None:
    answer = run("convert", reviews, tmp_path / name, *options)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err
    assert answer.err.count("\n") == 1
    assert not (tmp_path / name).exists()


def test_clean_reports_what_it_changed(run: Command, reviews: Path, tmp_path: Path) -> None:
    out = tmp_path / "clean.jsonl"
    answer = run("clean", reviews, out)
    assert "4 examples, 3 kept" in answer.out
    assert "repeated sentences dropped: 1 (3)" in answer.out
    assert "conflict quads dropped: 1 (2)" in answer.out
    assert [len(example.quads) for example in read(out)] == [2, 0, 0]


def test_clean_reports_the_repairs_of_reading(run: Command, tmp_path: Path) -> None:
    source = tmp_path / "odd.xml"
    term = '<aspectTerm term="tea" polarity="positive" from="4" to="7"/>'
    inner = f'<sentence id="1"><text>Good tea.</text><aspectTerms>{term}</aspectTerms></sentence>'
    source.write_text(f"<sentences>{inner}</sentences>", "utf-8")
    report = json.loads(run("clean", source, tmp_path / "out.jsonl", "--json").out)
    assert report["notes"] == ["sentence '1': term 'tea' moved from 4:7 to 5:8 ('tea')"]
    assert [change["count"] for change in report["changes"]] == [0, 0]
    assert (report["examples"], report["examples_kept"]) == (1, 1)


@pytest.mark.parametrize(
    ("option", "quads"),
    [("--keep-duplicates", [2, 0, 0, 0]), ("--keep-conflict", [2, 1, 0]), ("--merge", [2, 0, 0])],
)
def test_clean_keeps_what_the_options_say(
    run: Command, reviews: Path, tmp_path: Path, option: str, quads: list[int]
) -> None:
    out = tmp_path / "clean.jsonl"
    assert run("clean", reviews, out, option).code == 0
    assert [len(example.quads) for example in read(out)] == quads


def test_clean_keeps_the_labelled_one_of_two_equal_texts(run: Command, tmp_path: Path) -> None:
    bare: Record = {"id": "0", "text": "Good tea, bad cake.", "quads": []}
    source, out = write_lines(tmp_path / "in.jsonl", [bare, *REVIEWS]), tmp_path / "out.jsonl"
    report = json.loads(run("clean", source, out, "--json").out)
    assert [example.id for example in read(out)] == ["1", "2", "4"]
    # by hand: 0 repeats 1, and 3 repeats 2
    assert (report["examples"], report["examples_kept"]) == (5, 3)
    assert [report["changes"][0][key] for key in ("count", "ids")] == [2, ["0", "3"]]


def test_split_writes_id_lists_that_fit_the_corpus(run: Command, reviews: Path, tmp_path: Path) -> None:
    answer = run(
        "split", reviews, "--splits", "3", "--dev", "0.3", "--seed", "7", "--out", tmp_path, "--json"
    )
    paths = [tmp_path / f"split-{n}.json" for n in (1, 2, 3)]
    assert [record["file"] for record in json.loads(answer.out)] == [str(path) for path in paths]
    train, dev = apply_split(read(reviews), read_split(paths[2]))
    assert {example.text for example in train}.isdisjoint(example.text for example in dev)
    assert len(train) + len(dev) == 4


def test_split_writes_its_parts_as_files(run: Command, reviews: Path, tmp_path: Path) -> None:
    assert run("split", reviews, "--splits", "2", "--dev", "0.5", "--texts", "--out", tmp_path).code == 0
    parts = [read(tmp_path / f"split-2-{name}.jsonl").examples for name in ("train", "dev")]
    known = apply_split(read(reviews), read_split(tmp_path / "split-2.json"))
    assert parts == [part.examples for part in known]


def test_split_prints_the_sizes(run: Command, reviews: Path, tmp_path: Path) -> None:
    assert "reviews: 4 examples" in run("split", reviews, "--out", tmp_path).out


@pytest.mark.parametrize(
    ("before", "after", "left"),
    [
        (["--splits", "3"], ["--splits", "1"], ["split-2.json", "split-3.json"]),
        (["--splits", "1", "--texts"], ["--splits", "1"], ["split-1-dev.jsonl", "split-1-train.jsonl"]),
    ],
    ids=["more splits", "parts"],
)
def test_split_does_not_mix_with_an_earlier_one(
    run: Command, reviews: Path, tmp_path: Path, before: list[str], after: list[str], left: list[str]
) -> None:
    out = tmp_path / "splits"
    run("split", reviews, "--out", out, *before)
    foreign = [write_lines(out / name, REVIEWS) for name in ("split-9.json", "split-x.json", "notes.jsonl")]
    answer = run("split", reviews, "--out", out, "--seed", "2", *after)
    assert answer.code == 2
    assert answer.err.startswith(f"error: {out}: holds ")
    assert "--replace" in answer.err
    assert all(name in answer.err for name in left)
    assert read_split(out / "split-1.json").seed == 1
    assert run("split", reviews, "--out", out, "--seed", "2", "--replace", *after).code == 0
    expected = sorted([out / "split-1.json", *foreign])
    assert sorted(out.iterdir()) == expected
    assert read_split(out / "split-1.json").seed == 2


def test_split_may_be_repeated_or_grow_in_its_folder(run: Command, reviews: Path, tmp_path: Path) -> None:
    codes = [run("split", reviews, "--out", tmp_path / "splits", "--splits", n).code for n in "224"]
    assert codes == [0, 0, 0]


@pytest.mark.parametrize("options", [["--dev", "1"], ["--splits", "0"]])
def test_split_refuses_impossible_shares(
    run: Command, reviews: Path, tmp_path: Path, options: list[str]
) -> None:
    answer = run("split", reviews, "--out", tmp_path / "splits", *options)
    assert answer.code == 2
    assert not (tmp_path / "splits").exists()


def test_check_accepts_repetitions_and_lists_them(run: Command, reviews: Path) -> None:
    answer = run("check", reviews)
    assert answer.code == 0
    assert "repeated examples: 1\n    3\n" in answer.out


def test_check_fails_on_contradicting_labels(run: Command, tmp_path: Path) -> None:
    records: list[Record] = [
        {"id": name, "text": "Odd tea.", "quads": [quad("tea", 4, name)]} for name in ("positive", "negative")
    ]
    path = write_lines(tmp_path / "torn.jsonl", records)
    answer = run("check", path)
    assert answer.code == 1
    assert "contradicting labels: 1\n    tea: positive in positive, negative in negative" in answer.out
    assert json.loads(run("check", path, "--json").out)["ok"] is False


@pytest.mark.parametrize(
    ("text", "code", "exact", "near"),
    [("Odd tea.", 1, [["9"]], []), ("odd tea", 0, [], [["9"]]), ("Another thing.", 0, [], [])],
)
def test_check_of_two_files_fails_if_a_test_text_occurs_in_train(
    run: Command,
    reviews: Path,
    tmp_path: Path,
    text: str,
    code: int,
    exact: list[object],
    near: list[object],
) -> None:
    test = write_lines(tmp_path / "test.jsonl", [{"id": "9", "text": text, "quads": []}])
    answer = run("check", reviews, test, "--json")
    found = json.loads(answer.out)
    assert answer.code == code
    assert [match["test"] for match in found["exact"]] == exact
    assert [match["test"] for match in found["near"]] == near
    assert found["ok"] is (code == 0)


def test_check_of_two_files_names_the_ids(run: Command, reviews: Path) -> None:
    answer = run("check", reviews, reviews)
    assert "test examples that occur in train: 4\n" in answer.out
    assert "  1.00  test 2, 3 = train 2, 3\n" in answer.out


@pytest.mark.parametrize("command", ["show", "stats", "check"])
@pytest.mark.parametrize("content", [None, b"", b"\xff\xfe\x00", b"nothing known"])
def test_bad_input_gives_one_message_and_exit_code_2(
    run: Command, tmp_path: Path, command: str, content: bytes | None
) -> None:
    path = tmp_path / "bad"
    if content is not None:
        path.write_bytes(content)
    answer = run(command, path)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"error: {path}: ")
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize("words", [["stats"], ["split", "x"], ["show", "x", "--number", "0"], ["nothing"]])
def test_wrong_usage_gives_exit_code_2(run: Command, words: list[str]) -> None:
    assert run(*words).code == 2


HALF: list[Record] = [
    {"id": "\ud83d", "text": "Odd tea.", "quads": [quad("tea", 4, "negative")]},
    {"id": "\x1b[31m", "text": "Odd tea.", "quads": [quad("tea", 4, "positive")]},
    {"id": "3", "text": "We left.", "quads": [{"polarity": "neutral"}]},
    {"id": "4", "text": "We left.", "quads": [{"polarity": "negative"}]},
]
"""Ids with half a surrogate pair and with an escape code, and labels of no part of the text."""


def test_check_prints_ids_that_no_terminal_can_show(run: Command, tmp_path: Path) -> None:
    answer = run("check", write_lines(tmp_path / "half.jsonl", HALF))
    assert "tea: negative in \ufffd, positive in \ufffd[31m" in answer.out
    assert "the whole text: neutral in 3, negative in 4" in answer.out


def test_check_prints_half_a_surrogate_pair_as_json(run: Command, tmp_path: Path) -> None:
    found = json.loads(run("check", write_lines(tmp_path / "half.jsonl", HALF), "--json").out)
    assert found["contradictions"][0]["labels"][0] == ["\ud83d", "negative"]


def test_split_takes_a_file_whose_name_is_not_utf8(tmp_path: Path, reviews: Path) -> None:
    path = reviews.rename(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jsonl"))
    words = ["data", "split", str(path), "--out", str(tmp_path / "splits")]
    # a strict stdout, as in most terminals
    answer = subprocess.run([*COMMAND, *words], env=os.environ | {"PYTHONIOENCODING": "utf-8"}, check=True)
    assert answer.returncode == 0


def test_closed_pipe_is_no_failed_check(tmp_path: Path) -> None:
    many: list[Record] = [{"id": str(n), "text": "Nice tea. " * 100, "quads": []} for n in range(500)]
    path = write_lines(tmp_path / "many.jsonl", many)
    with subprocess.Popen(
        [*COMMAND, "data", "show", str(path), "--number", "500"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        process.stdout.close()
        assert (process.wait(60), process.stderr.read()) == (0, b"")
