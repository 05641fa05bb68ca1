"""A study becomes runs whose ids are the hash of what decides their results."""

from dataclasses import replace
from pathlib import Path

import pytest

from aspectlab.data import Polarity
from aspectlab.data.splitting import split, write_splits
from aspectlab.experiments.plan import Schedule, plan_runs
from aspectlab.experiments.studyfile import read_study
from aspectlab.readers import read, write
from tests.support.studies import MODEL, make_corpus, write_study
from tests.support.toy_executor import inspect_toys


def schedule_of(path: Path) -> Schedule:
    study, problems = read_study(path)
    schedule, more = plan_runs(study, inspect_toys)
    assert problems + more == []
    return schedule


def ids_of(path: Path) -> list[str]:
    return [run.id for run in schedule_of(path).runs]


def test_study_plans_splits_times_seeds(tmp_path: Path) -> None:
    runs = schedule_of(write_study(tmp_path, splits=2, seeds=3)).runs
    assert [(run.split, run.seed) for run in runs] == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]
    assert len({run.id for run in runs}) == 6


def test_model_with_seeds_and_splits_of_its_own_plans_only_these(tmp_path: Path) -> None:
    models = f"{MODEL}seeds = [2, 7]\nsplits = 1\n"
    runs = schedule_of(write_study(tmp_path, splits=2, seeds=3, models=models)).runs
    assert [(run.split, run.seed) for run in runs] == [(1, 2), (1, 7)]


def test_runs_know_those_before_them_in_their_group(tmp_path: Path) -> None:
    other = MODEL.replace("[[models]]", '[[models]]\nlabel = "other"').replace("epochs = 1", "epochs = 2")
    schedule = schedule_of(write_study(tmp_path, splits=2, seeds=2, models=MODEL + other))
    assert [schedule.earlier(run) for run in schedule.runs[4:7]] == [(), ((1, 1),), ((1, 1), (1, 2))]


def test_ids_are_the_same_every_time(tmp_path: Path) -> None:
    assert ids_of(write_study(tmp_path)) == ids_of(write_study(tmp_path))


@pytest.mark.parametrize(
    "changes",
    [
        {"models": MODEL.replace("epochs = 1", "epochs = 2")},
        {"models": MODEL.replace("marked", "bert")},
        {"models": MODEL.replace("tiny", "minilm")},
        {"top": "also = ['ate']\nmetrics = ['tuple-f1']"},
        {"corpus": "tests.more = 'dev.jsonl'"},
        {"corpus": "dev = 'dev.jsonl'"},
    ],
    ids=["settings", "model", "encoder", "metrics", "test set", "dev"],
)
def test_id_changes_with_what_decides_the_result(tmp_path: Path, changes: dict[str, str]) -> None:
    before = ids_of(write_study(tmp_path))
    study, _ = read_study(write_study(tmp_path, **changes))  # type: ignore[arg-type]
    after = [run.id for run in plan_runs(study, inspect_toys)[0].runs]
    assert not set(before) & set(after)


@pytest.mark.parametrize(
    "changes", [{"models": MODEL + "label = 'mine'"}, {"top": "about = 'x'"}, {"seeds": 5}, {"splits": 4}]
)
def test_id_stays_with_what_does_not(tmp_path: Path, changes: dict[str, object]) -> None:
    before = ids_of(write_study(tmp_path))
    after = ids_of(write_study(tmp_path, **changes))  # type: ignore[arg-type]
    assert set(before) <= set(after)


@pytest.mark.parametrize("name", ["train", "test"])
def test_id_changes_with_a_label_in_a_corpus(tmp_path: Path, name: str) -> None:
    path = write_study(tmp_path)
    before = ids_of(path)
    corpus = read(tmp_path / f"{name}.jsonl")
    last = replace(corpus.examples[-1], quads=())
    write(corpus.with_examples([*corpus.examples[:-1], last]), tmp_path / f"{name}.jsonl", "jsonl")
    assert not set(before) & set(ids_of(path))


def test_split_files_give_the_runs_of_the_same_splits(tmp_path: Path) -> None:
    before = ids_of(write_study(tmp_path, splits=2))
    parts = split(read(tmp_path / "train.jsonl"), splits=2, dev=0.2)
    names = [str(path) for path in write_splits(parts, tmp_path / "parts")]
    assert ids_of(write_study(tmp_path, corpus=f"splits = {names}")) == before


def test_dev_file_makes_one_split(tmp_path: Path) -> None:
    schedule = schedule_of(write_study(tmp_path, corpus="dev = 'dev.jsonl'"))
    assert [(run.split, run.seed) for run in schedule.runs] == [(1, 1), (1, 2)]
    material = next(iter(schedule.materials.values()))
    assert [len(side) for side in material.splits[1]] == [18, 18]


def test_encoder_has_one_name_wherever_a_study_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "words.txt").write_text("tea 0.1 0.2\n", encoding="utf-8")
    path = write_study(tmp_path, models=MODEL.replace("tiny", "vectors:words.txt"))
    (first, *_) = schedule_of(path).runs
    monkeypatch.chdir(tmp_path)
    (second, *_) = schedule_of(Path(path.name)).runs
    assert first.id == second.id
    assert first.group.encoder == second.group.encoder == "vectors:words.txt"
    locations = [first.group.location, second.group.location]
    assert locations == [f"vectors:{tmp_path}/words.txt", "vectors:words.txt"]


@pytest.mark.parametrize(
    ("top", "expected"), [("", {}), ("metrics = ['tuple-f1']\nalso = ['ate']", {"metrics": ["tuple-f1"]})]
)
def test_record_says_what_else_was_measured(tmp_path: Path, top: str, expected: dict[str, object]) -> None:
    # without it a report would take runs from before and after the change for the same; atsc covers no ate
    protocol = schedule_of(write_study(tmp_path, top=top)).runs[0].group.protocol
    assert {key: protocol[key] for key in ("metrics", "also") if key in protocol} == expected


def test_record_names_the_content_of_a_test_set_called_split(tmp_path: Path) -> None:
    # whatever a test set is called, a report must be able to tell two versions of it apart
    path = write_study(tmp_path, corpus="tests.split-2 = 'test.jsonl'")
    hashes = schedule_of(path).runs[0].group.protocol["sha256"]
    assert isinstance(hashes, dict)
    assert hashes.keys() == {"train", "test:test", "test:split-2"}


def test_splits_that_are_the_same_are_named(tmp_path: Path) -> None:
    # one of 18 texts can be left out in 18 ways only
    path = write_study(tmp_path, splits=19)
    path.write_text(path.read_text(encoding="utf-8").replace("dev = 0.2", "dev = 0.01"), encoding="utf-8")
    found = problems_of(path)
    assert found
    assert all("corpora.toys: splits" in text and "lower protocol.splits" in text for text in found)


def problems_of(path: Path) -> list[str]:
    study, problems = read_study(path)
    return problems + plan_runs(study, inspect_toys)[1]


@pytest.mark.parametrize("part", ["train", "test"])
def test_file_with_nothing_to_judge_is_named(tmp_path: Path, part: str) -> None:
    # conflict is left out unless it is asked for, and nothing else is there
    path, corpus = write_study(tmp_path), make_corpus("Never")
    torn = (replace(quad, polarity=Polarity.CONFLICT) for example in corpus for quad in example.quads)
    bare = (replace(example, quads=(quad,)) for example, quad in zip(corpus, torn, strict=True))
    write(corpus.with_examples(bare), tmp_path / f"{part}.jsonl", "jsonl")
    (found,) = problems_of(path)
    where = {"train": "corpora.toys.train", "test": "corpora.toys.tests.test"}[part]
    assert f"{where}: found nothing that 'atsc' judges among 18 examples" in found


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"models": MODEL + MODEL},
            "the same runs twice: marked · tiny · toys = marked · tiny · toys: remove one",
        ),
        ({"models": MODEL + MODEL.replace("epochs = 1", "epochs = 2")}, "have the label 'marked'"),
        ({"corpus": "dev = 'train.jsonl'"}, "set drop_shared = true"),
        ({"models": MODEL.replace("tiny", "tinny")}, "encoder 'tinny' is unknown: did you mean 'tiny'?"),
        ({"models": MODEL.replace("tiny", "./absent")}, "no such file or folder"),
        ({"top": "task = 'aste'"}, "model 'marked' learns 'atsc': the study's task is 'aste'"),
        ({"top": "metrics = ['subtasks']"}, "metric 'subtasks' fits the tasks aste"),
        ({"corpus": "splits = ['train.jsonl']"}, "found no JSON"),
        (
            {"corpus": "tests.same = 'train.jsonl'"},
            "tests.same: corpus 'today': 18 texts occur in the training",
        ),
        ({"corpus": "dev = 'dev.jsonl'\ntests.same = 'dev.jsonl'"}, 'or set shared_tests = "drop"'),
        (
            {"corpus": "dev = 'dev.jsonl'\ntests.same = 'dev.jsonl'"},
            "18 texts occur in the dev part of 'today' too, first test id 'soup-lovely' = dev id",
        ),
        (
            {"models": MODEL.replace('encoder = "tiny"', "encoders = []")},
            "encoders = []: expected at least one",
        ),
        ({"models": MODEL + "corpora = []"}, "corpora = []: expected at least one"),
        ({"corpus": "tests.same = 'train.jsonl'\nshared_tests = 'drop'"}, "every text stands in"),
        ({"corpus": "shared_tests = 'yes'"}, "expected one of refuse, drop, keep"),
        ({"corpus": "others = ['nowhere.jsonl']"}, "corpora.toys.others: "),
        ({"top": "others = ['train.jsonl']"}, "others: expected it in a table [corpora.NAME]"),
    ],
)
def test_mistake_is_named(tmp_path: Path, changes: dict[str, str], expected: str) -> None:
    found = problems_of(write_study(tmp_path, **changes))  # type: ignore[arg-type]
    assert any(expected in problem for problem in found), found


def test_corpus_that_lacks_what_the_model_learns_is_named(tmp_path: Path) -> None:
    path = write_study(tmp_path)
    corpus = make_corpus("Tonight")
    bare = [replace(e, quads=tuple(replace(q, polarity=None) for q in e.quads)) for e in corpus]
    parts = frozenset(part for part in corpus.annotates if part != "polarity")
    write(replace(corpus.with_examples(bare), annotates=parts), tmp_path / "test.jsonl", "jsonl")
    assert ["task 'atsc' needs aspect, polarity" in problem for problem in problems_of(path)] == [True]


def test_shared_texts_are_dropped_from_train_when_asked(tmp_path: Path) -> None:
    path = write_study(tmp_path, corpus="dev = 'mixed.jsonl'\ndrop_shared = true")
    shared = make_corpus("Today").examples[0]
    mixed = make_corpus("Yesterday")
    write(
        mixed.with_examples([*mixed.examples, replace(shared, id="again")]), tmp_path / "mixed.jsonl", "jsonl"
    )
    material = next(iter(schedule_of(path).materials.values()))
    assert [len(side) for side in material.splits[1]] == [17, 19]


def write_leaky_study(folder: Path, choice: str) -> Path:
    """One of the 18 texts of train is a 19th of test."""
    path = write_study(folder, corpus=f"shared_tests = '{choice}'")
    leaked, test = make_corpus("Today").examples[0], make_corpus("Tonight")
    leaky = test.with_examples([*test.examples, replace(leaked, id="leaked")])
    write(leaky, folder / "test.jsonl", "jsonl")
    return path


def test_test_text_in_train_is_refused(tmp_path: Path) -> None:
    (problem,) = problems_of(write_leaky_study(tmp_path, "refuse"))
    assert problem.startswith("study.toml: corpora.toys: tests.test: corpus 'tonight': 1 texts occur")
    assert "first test id 'leaked' = train id 'soup-lovely'" in problem


def test_test_text_in_train_is_left_out_when_asked(tmp_path: Path) -> None:
    schedule = schedule_of(write_leaky_study(tmp_path, "drop"))
    material = next(iter(schedule.materials.values()))
    assert [len(corpus) for corpus in (material.corpus, material.tests["test"])] == [17, 19]
    assert schedule.study.notices == []


def test_test_text_in_train_is_kept_and_told_when_asked(tmp_path: Path) -> None:
    schedule = schedule_of(write_leaky_study(tmp_path, "keep"))
    material = next(iter(schedule.materials.values()))
    assert [len(corpus) for corpus in (material.corpus, material.tests["test"])] == [18, 19]
    (told,) = schedule.study.notices
    assert told.startswith("study.toml: corpora.toys.tests.test: ")
    assert told.endswith(": 1")


def test_published_recipe_is_another_row_of_a_table(tmp_path: Path) -> None:
    models = f'{MODEL}\n[[models]]\nname = "marked"\nencoder = "tiny"\nrecipe = "published"\n'
    study, problems = read_study(write_study(tmp_path, models=models))
    assert problems == []
    assert [(model.label, model.recipe) for model in study.models][-1] == ("marked+published", "published")
