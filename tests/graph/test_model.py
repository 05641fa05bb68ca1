"""Knowledge graphs of a few statements, counted by hand, and of the published cars against a direct count."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from aspectlab.data import PolarityCounts
from aspectlab.errors import ConfigError, DataError
from aspectlab.graph.comparison import join_aspects, join_counts
from aspectlab.graph.formats import NodeKind, list_links, list_nodes
from aspectlab.graph.model import (
    Entity,
    GraphSelection,
    KnowledgeGraph,
    Statement,
    balance,
    build_entity,
    build_graph,
    count_variants,
    fold_aspect,
)
from aspectlab.graph.sources import gather_statements
from aspectlab.readers.opiniontable import OTHER
from tests.support.graphs import BAD, COUPE, ESTATE, GOOD, NEUTRAL

# the same car with forms that differ, and a neutral statement without topic
MIXED = [
    *(*COUPE[:3], COUPE[3]._replace(aspect="Boot"), COUPE[4]._replace(opinion="Tiny")),
    Statement("coupe", "", "price", "listed", NEUTRAL),
]
FAMILY = [*ESTATE[:2], Statement("estate", "", "", "fine", GOOD)]


def build(*statements: Statement, merge: bool = False) -> Entity:
    return build_entity("it", statements, merge=merge)


def test_entity_counts_an_opinion_by_aspect_words_and_polarity() -> None:
    seat, *_ = build(*MIXED).aspects
    assert [(said.text, said.polarity, said.count) for said in seat.opinions] == [
        ("soft", GOOD, 2),
        ("soft", BAD, 1),
    ]
    assert (seat.counts, balance(seat.counts)) == (PolarityCounts(2, 1), 1)
    assert seat.topics == {"comfort": PolarityCounts(2), "interior": PolarityCounts(0, 1)}


@pytest.mark.parametrize(
    ("merge", "aspects"), [(False, ["back seat", "Boot", "boot", "price"]), (True, None)]
)
def test_entity_merges_forms_on_request_only(merge: bool, aspects: list[str] | None) -> None:
    entity = build(*MIXED, merge=merge)
    assert [aspect.name for aspect in entity.aspects] == (aspects or ["back seat", "Boot", "price"])
    assert entity.opinions == (4 if merge else 5)


@pytest.mark.parametrize("form", ["back seat", "Backseat", "the back-seats", "ｂａｃｋ seat", "Back  Seats"])
def test_aspect_forms_fold_to_one(form: str) -> None:
    assert fold_aspect(form) == "backseat"


@pytest.mark.parametrize("form", ["", "!?", "  "])
def test_aspect_without_letters_folds_to_something(form: str) -> None:
    assert fold_aspect(form) == form.strip()


def test_nodes_and_links_are_those_drawn_by_hand() -> None:
    graph = KnowledgeGraph(
        "both", (build_entity("coupe", MIXED, merge=True), build_entity("estate", FAMILY, merge=True))
    )
    # 2 entities; comfort and interior of each; seat, boot, price | seat, boot, implicit; 4 + 3 opinions
    assert Counter(node.kind for node in list_nodes(graph)) == {
        NodeKind.ENTITY: 2,
        NodeKind.TOPIC: 4,
        NodeKind.ASPECT: 6,
        NodeKind.OPINION: 7,
    }
    links = list(list_links(graph))
    # the seat of the coupe has two topics; the price, and what is implicit, hang on their entities
    assert Counter(link.kind for link in links) == {
        NodeKind.TOPIC: 4,
        NodeKind.ASPECT: 7,
        NodeKind.OPINION: 7,
        NodeKind.SAME: 2,
    }
    ids = [node.id for node in list_nodes(graph)]
    assert len(set(ids)) == len(ids)
    assert {end for link in links for end in (link.source, link.target)} <= set(ids)
    assert sum(link.counts.total for link in links if link.kind is NodeKind.OPINION) == len(MIXED) + len(
        FAMILY
    )


def test_join_pairs_aspects_under_other_names() -> None:
    first, second = build_entity("coupe", MIXED, merge=True), build_entity("estate", FAMILY, merge=True)
    pairs = join_aspects(first, second)
    assert [(pair.name, bool(pair.first), bool(pair.second)) for pair in pairs] == [
        ("back seat", True, True),
        ("Boot", True, True),
        ("price", True, False),
    ]
    assert [row.name for row in join_counts(first, second, by_topic=True)] == ["interior", "comfort"]
    assert next(join_counts(first, second, by_topic=False)).second == PolarityCounts(0, 1)


def test_join_by_topic_leaves_out_what_fits_nowhere() -> None:
    rest = [each._replace(topic=OTHER) for each in COUPE]
    first, second = (build_entity(name, rest, merge=True) for name in "ab")
    assert list(join_counts(first, second, by_topic=True)) == []


def test_choice_leaves_neutral_statements_out_unless_asked() -> None:
    plain = build_graph("cars", MIXED, GraphSelection(("coupe",)))
    assert [entity.counts for entity in plain.entities] == [PolarityCounts(2, 3)]
    asked = build_graph("cars", MIXED, GraphSelection(("coupe",), neutral=True))
    assert asked.entities[0].counts == PolarityCounts(2, 3, 1)


def test_choice_takes_all_entities_as_one_and_topics_by_name() -> None:
    whole = build_graph("cars", [*MIXED, *FAMILY], GraphSelection())
    assert [(entity.name, entity.counts) for entity in whole.entities] == [("cars", PolarityCounts(4, 4))]
    # "back seat" and "Backseats", "Boot" and "boot"
    assert count_variants(whole) == 2
    comfort = build_graph("cars", [*MIXED, *FAMILY], GraphSelection(topics=("comfort",)))
    assert comfort.entities[0].counts == PolarityCounts(2, 1)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (
            GraphSelection(("Coup",)),
            "entity 'Coup' is unknown: did you mean 'coupe'? There are: coupe, estate",
        ),
        (GraphSelection(topics=("comfrt",)), "topic 'comfrt' is unknown: did you mean 'comfort'?"),
        (GraphSelection(("zzz",)), "entity 'zzz' is unknown: There are: coupe"),
    ],
)
def test_unknown_name_brings_the_nearest(choice: GraphSelection, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        build_graph("cars", [*MIXED, *FAMILY], choice)
    assert message in str(caught.value)


def test_graph_without_opinions_is_refused() -> None:
    with pytest.raises(DataError, match=r"coupe: found no opinion: .*--neutral"):
        build_graph("cars", MIXED[-1:], GraphSelection(("coupe",)))


def write(path: Path, *rows: str) -> Path:
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


MUSE = (
    "id,segment_id,label_topic,aspect,opinion,sentiment",
    "7,1,3,seat,soft,pos",
    "7,2,3,seat,-,-",
    "7,2,-,-,-,-",
    "12,1,7,price,steep,neg",
)


def test_source_takes_the_video_of_muse_as_entity(tmp_path: Path) -> None:
    gathered = gather_statements([write(tmp_path / "cars.csv", *MUSE)])
    assert gathered.statements == [
        Statement("7", "comfort", "seat", "soft", GOOD),
        Statement("12", "cost", "price", "steep", BAD),
    ]
    assert gathered.notices == ["empty rows left out: 2"]
    assert not gathered.is_table


JSONL = (
    '{"id": "red-1", "text": "Nice.", "quads": [{"aspect": {"text": "look"}, "polarity": "positive"}]}',
    '{"id": "blue-1", "text": "So so.", "quads": [{"aspect": {"text": "look"}, "polarity": "conflict"}]}',
    '{"id": "?", "text": "Bad.", "quads": [{"category": "all", "polarity": "negative"}]}',
)


def test_source_finds_the_entity_by_a_pattern(tmp_path: Path) -> None:
    gathered = gather_statements([write(tmp_path / "cars.jsonl", *JSONL)], pattern=r"(\w+)-")
    assert gathered.statements == [Statement("red", "", "look", "", GOOD)]
    assert gathered.notices == [
        "cars labels no opinion: shown as (implicit)",
        "opinions with the label conflict left out: 1",
        r"examples whose id does not match '(\\w+)-', such as '?', left out: 1",
    ]


def test_source_without_a_pattern_is_one_entity(tmp_path: Path) -> None:
    gathered = gather_statements([write(tmp_path / "cars.jsonl", *JSONL)])
    assert gathered.statements == [
        Statement("cars", "", "look", "", GOOD),
        Statement("cars", "all", "", "", BAD),
    ]


@pytest.mark.parametrize(
    ("pattern", "message"), [("(", "missing \\)"), ("car", "found in no id, such as 'red-1'")]
)
def test_source_refuses_a_pattern_that_finds_nothing(tmp_path: Path, pattern: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        gather_statements([write(tmp_path / "cars.jsonl", *JSONL)], pattern=pattern)


def test_source_reads_any_table_by_the_column_of_the_entity(tmp_path: Path) -> None:
    path = write(
        tmp_path / "mine.tsv", "Model\tterm\tLabel", "red\tlook\t1", "blue\tlook\t-1", "blue\tlook\todd"
    )
    gathered = gather_statements([path], column="model")
    assert gathered.statements == [
        Statement("red", "", "look", "", GOOD),
        Statement("blue", "", "look", "", BAD),
    ]
    assert gathered.is_table
    assert gathered.notices[0].startswith("rows with a polarity that is none of positive")


@pytest.mark.parametrize(
    ("header", "column", "message"),
    [
        ("Model\tterm\tlabel", "modl", "--entity-column = 'modl': .*did you mean 'Model'"),
        ("Model\tstars\tday", "Model", "expected an aspect or a category, and one of polarity"),
    ],
)
def test_source_refuses_a_table_without_the_columns(
    tmp_path: Path, header: str, column: str, message: str
) -> None:
    with pytest.raises((ConfigError, DataError), match=message):
        gather_statements([write(tmp_path / "mine.tsv", header, "a\tb\t1")], column=column)


def test_source_refuses_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        gather_statements([tmp_path / "none.csv"])


def test_source_refuses_a_folder_without_an_analysis(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"found no opinions\.parquet in this folder"):
        gather_statements([tmp_path])


def direct_counts(path: Path, video: str) -> tuple[set[tuple[str, str, str]], Counter[str]]:
    """Count the non-neutral triples of a video and the balance of its aspects from the cells of the file."""
    triples, balances = set(), Counter[str]()
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            if row["id"].removesuffix(".0") == video and row["sentiment"] in ("pos", "neg"):
                triples.add((row["aspect"], row["opinion"], row["sentiment"]))
                balances[row["aspect"]] += 1 if row["sentiment"] == "pos" else -1
    return triples, balances


@pytest.mark.slow
@pytest.mark.parametrize(("file", "video"), [("train.csv", "258"), ("train.csv", "112"), ("devel.csv", "15")])
def test_graph_of_a_published_video_has_its_distinct_triples(real_data: Path, file: str, video: str) -> None:
    path = real_data / "muse_caraste" / "annotations" / file
    triples, balances = direct_counts(path, video)
    gathered = gather_statements([path])
    graph = build_graph(gathered.title, gathered.statements, GraphSelection((video,)))
    assert sum(link.kind is NodeKind.OPINION for link in list_links(graph)) == len(triples)
    assert {aspect.name: balance(aspect.counts) for aspect in graph.entities[0].aspects} == balances


@pytest.mark.slow
def test_graph_of_all_published_videos_has_all_statements(real_data: Path) -> None:
    # 9,332 positive and 2,262 negative, 1,442 empty rows (MuSe-CarASTE, Tables 2, 3 and 6)
    folder = real_data / "muse_caraste" / "annotations"
    gathered = gather_statements([folder / "train.csv", folder / "devel.csv"])
    graph = build_graph(gathered.title, gathered.statements, GraphSelection(neutral=True))
    assert graph.entities[0].counts == PolarityCounts(9_332, 2_262, 2_573)
    assert "empty rows left out: 1,442" in gathered.notices
