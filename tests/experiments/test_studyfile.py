"""A study file is read, and every mistake in it is found at once."""

import csv
import re
from pathlib import Path

import pytest

from aspectlab.errors import ConfigError
from aspectlab.experiments.study import CleaningOptions, EncoderConfig, Splitting
from aspectlab.experiments.studyfile import read_study
from tests.support.studies import MODEL, write_corpora, write_study

STUDIES = Path(__file__).parent.parent.parent / "studies"


def problems_of(path: Path) -> list[str]:
    return read_study(path)[1]


def test_sound_study_has_no_problems(tmp_path: Path) -> None:
    study, problems = read_study(write_study(tmp_path, splits=3, seeds=4))
    assert problems == []
    assert (study.name, study.seeds, study.splitting) == ("toy", (1, 2, 3, 4), Splitting(3, 0.2, 1))
    assert list(study.corpora) == ["toys"]
    assert study.models[0].settings == {"epochs": 1, "batch_size": 8, "precision": "fp32"}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"top": "sede = 3"}, "key 'sede' is unknown: did you mean 'seeds'?"),
        ({"corpus": "train_file = 'x'"}, "corpora.toys: key 'train_file' is unknown: did you mean 'train'?"),
        ({"corpus": "tests.arts = 'tset.jsonl'"}, "did you mean 'test.jsonl'?"),
        ({"corpus": "tests.arts = '${ARTS}/x.jsonl'"}, "tests.arts: ${ARTS} is not set"),
        ({"corpus": "tests.arts = '${DATA}/x.jsonl'"}, "${DATA} is not set: give it with --data DIR"),
        ({"corpus": "format = 'jsnol'"}, "format 'jsnol' is unknown: did you mean 'jsonl'?"),
        ({"corpus": "dev = 'dev.jsonl'\nsplits = ['train.jsonl']"}, "found both dev and splits"),
        ({"corpus": "deduplicate = 'yes'"}, "corpora.toys.deduplicate = 'yes': expected true or false"),
        ({"corpus": "tests.'a/b' = 'test.jsonl'"}, "expected a name of letters"),
        ({"top": "metrics = ['tuplef1']"}, "metric 'tuplef1' is unknown: did you mean 'tuple-f1'?"),
        ({"top": "task = 'atcs'"}, "task 'atcs' is unknown: did you mean 'atsc'?"),
        ({"top": "also = ['aet']"}, "task 'aet' is unknown: did you mean 'ate'?"),
        ({"top": "mato = true"}, "mato: expected it in a table [[models]]"),
        ({"top": "adversarial = ['revtgt']"}, "adversarial: expected it in a table [corpora.NAME]"),
        ({"corpus": "adversarial = ['revtg']"}, "strategy 'revtg' is unknown: did you mean 'revtgt'?"),
        ({"corpus": "adversarial = { ratio = 1 }"}, "corpora.toys.adversarial: found no strategies"),
        (
            {"corpus": "adversarial = { strategies = ['revtgt'], ratio = -1 }"},
            "corpora.toys.adversarial.ratio = -1: expected variants per aspect",
        ),
        (
            {"corpus": "adversarial = { strategies = ['adddiff'], aspect_phrases = 'parse' }"},
            "corpora.toys.adversarial.aspect_phrases: aspect phrases 'parse': expected template, parsed",
        ),
        (
            {"corpus": "adversarial = { strategies = ['revtgt'], opinions = 'train.jsnl' }"},
            "did you mean 'train.jsonl'?",
        ),
        ({"seeds": -1}, "seeds = -1: expected how many seeds"),
        ({"seeds": f"[{2**32}]"}, "expected how many seeds there are, up to 10,000, or a list"),
        ({"seeds": 20240101}, "seeds = 20240101: expected how many seeds there are, up to 10,000"),
        ({"splits": 0}, "protocol.splits = 0: expected a whole number from 1 on"),
        ({"models": ""}, "found no model"),
        ({"top": "models = []", "models": ""}, "found no model"),
        ({"corpus": "dev = ''"}, "corpora.toys.dev = '': expected a path"),
        ({"corpus": "tests.more = ''"}, "corpora.toys.tests.more = '': expected a path"),
        ({"corpus": "tests.more = { file = '', optional = true }"}, "tests.more.file = '': expected a path"),
        ({"models": MODEL + "corpora = ['toy']"}, "corpus 'toy' is unknown: did you mean 'toys'?"),
        ({"models": MODEL + "encoders = ['tiny']"}, "found both encoder and encoders"),
        ({"models": MODEL + "vary = { epochs = 3 }"}, "models[1].vary.epochs = 3: expected a list"),
        ({"models": "[[models]]\nlabel = 'x'"}, "models[1]: found no name"),
        ({"models": MODEL + "mato = 1"}, "models[1].mato = 1: expected true or false"),
    ],
)
def test_mistake_is_named(tmp_path: Path, changes: dict[str, object], expected: str) -> None:
    found = problems_of(write_study(tmp_path, **changes))  # type: ignore[arg-type]
    assert len(found) == 1, found
    assert expected in found[0]


def test_all_mistakes_are_found_at_once(tmp_path: Path) -> None:
    path = write_study(tmp_path, splits=0, top="sede = 3\ntask = 'x'", corpus="dev = 'absent.jsonl'")
    assert len(problems_of(path)) == 4


@pytest.mark.parametrize("dev", ["0", "1.0", "-0.1", "'half'"])
def test_share_of_dev_must_lie_between_0_and_1(tmp_path: Path, dev: str) -> None:
    path = write_study(tmp_path)
    path.write_text(path.read_text("utf-8").replace("dev = 0.2", f"dev = {dev}"), "utf-8")
    assert ["expected a share between 0 and 1" in problem for problem in problems_of(path)] == [True]


def test_test_data_may_not_choose_the_epoch(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    path.write_text(path.read_text("utf-8").replace("[protocol]", "[protocol]\nselection = 'test'"), "utf-8")
    assert ["no test set may choose an epoch" in problem for problem in problems_of(path)] == [True]


@pytest.mark.parametrize("text", ["seeds = ", "a = 1\na = 2"])
def test_file_that_is_no_toml_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "study.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match="found no TOML"):
        read_study(path)


def test_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    path.write_text(path.read_text("utf-8"), "utf-8-sig")
    assert problems_of(path) == []


def test_absent_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_study(tmp_path / "absent.toml")


def test_names_in_paths_are_put_in(tmp_path: Path) -> None:
    path = write_study(tmp_path, corpus="tests.more = '${HERE}/test.jsonl'")
    path.write_text(path.read_text("utf-8") + "\n[paths]\nHERE = '${DATA}/sub/..'\n", "utf-8")
    (tmp_path / "sub").mkdir()
    study, problems = read_study(path, data=tmp_path)
    assert problems == []
    assert study.corpora["toys"].tests["more"].path.resolve() == (tmp_path / "test.jsonl").resolve()


def test_optional_test_set_may_be_absent(tmp_path: Path) -> None:
    path = write_study(tmp_path, corpus="tests.more = { file = 'absent.jsonl', optional = true }")
    study, problems = read_study(path)
    assert problems == []
    assert list(study.corpora["toys"].tests) == ["test"]
    assert "absent.jsonl" in study.notices[0]


@pytest.mark.parametrize(
    ("line", "instead", "expected"),
    [
        ("train = 'train.jsonl'", "train = ''", "corpora.toys.train = '': expected a path"),
        (
            "tests.test = 'test.jsonl'",
            "tests.test = { file = 'absent.jsonl', optional = true }",
            "corpora.toys.tests: every test set is missing: expected one file at least",
        ),
    ],
    ids=["train", "tests"],
)
def test_corpus_that_gives_no_runs_is_a_mistake(
    tmp_path: Path, line: str, instead: str, expected: str
) -> None:
    path = write_study(tmp_path)
    path.write_text(path.read_text("utf-8").replace(line.replace("'", '"'), instead), "utf-8")
    (found,) = problems_of(path)
    assert expected in found


def test_offer_for_an_unknown_key_names_each_key_once(tmp_path: Path) -> None:
    (found,) = problems_of(write_study(tmp_path, models=MODEL + "labels = 'x'"))
    offered = found.partition("There are: ")[2].split(", ")
    assert len(offered) == len(set(offered))


def test_reading_goes_from_protocol_to_corpus_to_test_set(tmp_path: Path) -> None:
    corpus = "keep_conflict = true\ntests.more = { file = 'test.jsonl', drop_implicit = true }"
    study, problems = read_study(write_study(tmp_path, corpus=corpus))
    assert problems == []
    found = study.corpora["toys"]
    assert found.train.reading == CleaningOptions(keep_conflict=True)
    assert found.tests["more"].reading == CleaningOptions(keep_conflict=True, drop_implicit=True)


def test_varied_settings_make_a_model_each(tmp_path: Path) -> None:
    models = MODEL + "vary = { learning_rate = [1e-3, 1e-4], warmup = [0.0, 0.1] }"
    study, problems = read_study(write_study(tmp_path, models=models))
    assert problems == []
    assert [model.label for model in study.models] == [
        "marked learning_rate=0.001 warmup=0.0",
        "marked learning_rate=0.001 warmup=0.1",
        "marked learning_rate=0.0001 warmup=0.0",
        "marked learning_rate=0.0001 warmup=0.1",
    ]


def test_varied_setting_that_is_no_list_is_the_only_mistake(tmp_path: Path) -> None:
    models = MODEL + "vary = { epochs = 3, warmup = [0.0, 0.1] }"
    study, problems = read_study(write_study(tmp_path, models=models))
    assert len(problems) == 1
    assert [model.label for model in study.models] == ["marked warmup=0.0", "marked warmup=0.1"]


def test_mato_is_a_setting_of_a_model_and_part_of_its_label(tmp_path: Path) -> None:
    study, problems = read_study(write_study(tmp_path, models=MODEL + "mato = true"))
    assert problems == []
    assert [(model.label, model.settings["mato"]) for model in study.models] == [("marked+mato", True)]


def test_model_may_have_seeds_and_splits_of_its_own(tmp_path: Path) -> None:
    study, problems = read_study(write_study(tmp_path, models=f"{MODEL}seeds = [7]\nsplits = 1\n"))
    assert problems == []
    assert (study.models[0].seeds, study.models[0].splits) == ((7,), 1)


def test_encoder_may_have_another_name_in_the_rows(tmp_path: Path) -> None:
    models = MODEL.replace('encoder = "tiny"', 'encoder = { name = "tiny", label = "small" }')
    study, problems = read_study(write_study(tmp_path, models=models))
    assert problems == []
    assert study.models[0].encoders == (EncoderConfig("small", "tiny"),)


def test_relations_need_a_file(tmp_path: Path) -> None:
    (problem,) = problems_of(write_study(tmp_path, corpus="relations = { candidates = 3 }"))
    assert "corpora.toys.relations: found no file" in problem


@pytest.mark.parametrize("path", sorted((STUDIES / "results").glob("*.toml")), ids=lambda path: path.stem)
def test_study_of_published_rows_covers_every_row(path: Path, tmp_path: Path) -> None:
    for name in re.findall(r'"\$\{DATA\}/([^"]+)"', path.read_text(encoding="utf-8")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    study, problems = read_study(path, data=tmp_path)
    assert problems == []
    planned = {
        (model.name, encoder.name, corpus, split, seed)
        for model in study.models
        for encoder in model.encoders
        for corpus in model.corpora
        for split in range(1, (model.splits or (1 if study.corpora[corpus].dev else 5)) + 1)
        for seed in model.seeds
    }
    with path.with_suffix(".csv").open(encoding="utf-8", newline="") as stream:
        rows = {
            (row["model"], row["encoder"], row["corpus"], int(row["split"]), int(row["seed"]))
            for row in csv.DictReader(stream)
        }
    assert rows <= planned


def test_corpora_are_looked_for_beside_the_study(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    write_corpora(tmp_path / "data")
    path = write_study(tmp_path, corpus="dev = 'data/dev.jsonl'")
    study, _ = read_study(path)
    assert study.corpora["toys"].dev is not None
    assert study.corpora["toys"].dev.path == tmp_path / "data" / "dev.jsonl"
