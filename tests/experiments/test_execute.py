"""A run gives the same bits whatever was done before it, and what `aspectlab train` would give."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.studies import make_corpus, write_study

pytest.importorskip("torch", reason="training needs the extra 'train'")

from aspectlab.data import Corpus, Origin, Part, Polarity, Span, Term
from aspectlab.errors import ConfigError
from aspectlab.experiments.engine import Files, Job
from aspectlab.experiments.execute import GroupTrainer, RunExecutor, inspect_models
from aspectlab.experiments.plan import Schedule, plan_runs
from aspectlab.experiments.studyfile import read_study
from aspectlab.models import MODELS, Plan
from aspectlab.readers import write
from aspectlab.registry import options_of
from aspectlab.training import fit, load_model, predict
from aspectlab.training.recipe import Recipe

QUICK = ["marked", "stage"]
REST = [pytest.param(name, marks=pytest.mark.slow) for name in MODELS if name not in QUICK]


def schedule_of(tmp_path: Path, model: str = "marked", **changes: str) -> Schedule:
    # trees without grammar: the default parser needs a package
    parser = ', parser = "chain"' if "parser" in options_of(MODELS[model]) else ""
    text = f"""
[[models]]
name = "{model}"
encoder = "tiny"
settings = {{ epochs = 1, batch_size = 8{parser} }}
"""
    study, problems = read_study(write_study(tmp_path, models=text, **changes))  # type: ignore[arg-type]
    schedule, more = plan_runs(study, inspect_models)
    assert problems + more == []
    return schedule


def execute(executor: RunExecutor, schedule: Schedule, place: int, *, keep_model: bool = False) -> Files:
    run = schedule.runs[place]
    job = Job(run, "toy", "aspectlab run", keep_model)
    return executor.execute(job, schedule.materials[run.group.material])


def scores_of(files: Files) -> dict[str, object]:
    record = json.loads(files["run.json"])
    return {key: record[key] for key in ("id", "metrics", "dev", "signatures", "settings")}


@pytest.mark.parametrize("model", [*QUICK, *REST])
def test_run_gives_the_bits_of_the_run_alone(tmp_path: Path, model: str) -> None:
    # the toy corpus has no categories
    if MODELS[model].task in {"acd", "acp", "acsc", "asqp"}:
        pytest.skip("the toy corpus has no categories")
    schedule = schedule_of(tmp_path, model)
    busy = RunExecutor("cpu")
    execute(busy, schedule, 0)
    among = execute(busy, schedule, 3)
    alone = execute(RunExecutor("cpu"), schedule, 3)
    assert among["predictions/test.jsonl"] == alone["predictions/test.jsonl"]
    assert scores_of(among) == scores_of(alone)


def test_run_is_what_train_gives(tmp_path: Path) -> None:
    schedule = schedule_of(tmp_path)
    files = execute(RunExecutor("cpu"), schedule, 3, keep_model=True)
    run = schedule.runs[3]
    material = schedule.materials[run.group.material]
    recipe = Recipe("marked", "tiny", {}, Plan(**run.group.plan), run.seed)  # type: ignore[arg-type]
    parts = ([material.corpus.examples[place] for place in side] for side in material.splits[run.split])
    model = fit(recipe.build(), *parts, plan=recipe.plan, seed=run.seed, device="cpu").model
    for name, content in files.items():
        (tmp_path / "run" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "run" / name).write_bytes(content)
    saved = load_model(tmp_path / "run" / "model")
    test = material.tests["test"].examples
    assert predict(saved, test) == predict(model, test)


def test_prediction_does_not_hang_on_test_labels(tmp_path: Path) -> None:
    schedule = schedule_of(tmp_path)
    run = schedule.runs[0]
    material = schedule.materials[run.group.material]
    wrong = material.tests["test"].with_examples(
        replace(e, quads=tuple(replace(quad, polarity=Polarity.NEUTRAL) for quad in e.quads))
        for e in material.tests["test"]
    )
    job = Job(run, "toy", "")
    other = replace(material, tests={"test": wrong})
    first, second = (RunExecutor("cpu").execute(job, given) for given in (material, other))
    assert first["predictions/test.jsonl"] == second["predictions/test.jsonl"]
    assert scores_of(first)["metrics"] != scores_of(second)["metrics"]


def test_run_learns_the_styles_and_categories_of_its_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make_styled(start: str) -> Corpus:
        corpus = make_corpus(start)
        quads = ((e, tuple(replace(quad, category="food") for quad in e.quads)) for e in corpus)
        styled = corpus.with_examples(replace(e, style="one", quads=found) for e, found in quads)
        return replace(styled, annotates=corpus.annotates | {Part.CATEGORY})

    monkeypatch.setattr("tests.support.studies.make_corpus", make_styled)
    files = execute(RunExecutor("cpu"), schedule_of(tmp_path, "quad-span"), 0, keep_model=True)
    saved = json.loads(files["model/config.json"])["settings"]
    assert (saved["styles"], saved["categories"]) == (["one"], {"one": ["food"]})
    assert json.loads(files["run.json"])["task"] == "asqp"


def test_encoder_with_other_weights_is_refused(tmp_path: Path) -> None:
    schedule = schedule_of(tmp_path)
    run = schedule.runs[0]
    elsewhere = replace(run, group=replace(run.group, weights="tiny@other"))
    with pytest.raises(ConfigError, match="install the same weights"):
        RunExecutor("cpu").execute(Job(elsewhere, "toy", ""), schedule.materials[run.group.material])


def test_record_says_where_the_run_was_done(tmp_path: Path) -> None:
    files = execute(RunExecutor("cpu"), schedule_of(tmp_path, top="also = ['ate']"), 0)
    record = json.loads(files["run.json"])
    assert {"aspectlab", "python", "torch", "transformers", "device", "threads"} <= record[
        "environment"
    ].keys()
    assert record["timing"]["epochs"] == 1
    assert record["signatures"]["test"].startswith("atsc-accuracy|corpus:tonight@")


def write_followups(folder: Path) -> None:
    """Two sources, one with two follow-ups by one replacement."""
    sources = make_corpus("Once").examples[:2]
    start = sources[0].text.index("lovely")
    followups = [
        replace(
            sources[0],
            id=f"f{number}",
            text=sources[0].text.replace("lovely", word),
            quads=(replace(sources[0].quads[0], opinion=Term(word, Span(start, start + len(word)))),),
            origin=Origin.parse(
                sources[0].id, f"MR2-2 of 0: {start}:{start + 6} lovely > {word} (synonym)", sources[0].text
            ),
        )
        for number, word in enumerate(("nice", "fine"))
    ]
    write(make_corpus("Once").with_examples([*sources, *followups]), folder / "followups.jsonl", "jsonl")


def test_run_measures_violation_rates_on_followups(tmp_path: Path) -> None:
    write_followups(tmp_path)
    relations = "relations = { file = 'followups.jsonl', candidates = 1 }"
    schedule = schedule_of(tmp_path, "stage", corpus=relations)
    record = json.loads(execute(RunExecutor("cpu"), schedule, 0)["run.json"])
    assert {"vr", "vr_opinion", "vr_mr2-2"} <= record["metrics"]["metamorphic"].keys()
    assert record["signatures"]["metamorphic"].endswith("candidates:1")
    without = schedule_of(tmp_path, "stage")
    assert without.runs[0].id != schedule.runs[0].id


def test_steps_of_the_runs_before_are_captured_whoever_did_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = schedule_of(tmp_path)
    captured: list[tuple[str, int]] = []
    build = GroupTrainer.__init__

    def pretend(trainer: GroupTrainer, *parts: object) -> None:
        build(trainer, *parts)  # type: ignore[arg-type]
        trainer.captures = True  # as on a GPU
        captured.append(("new", 0))

    monkeypatch.setattr(GroupTrainer, "__init__", pretend)
    monkeypatch.setattr(GroupTrainer, "capture", lambda _, train, seed: captured.append(("old", seed)))
    executor = RunExecutor("cpu")
    for index in (1, 2, 0):
        run = schedule.runs[index]
        job = Job(run, "toy", "", earlier=schedule.earlier(run))
        executor.execute(job, schedule.materials[run.group.material])
    # the last one comes before what has been captured, so it begins anew
    assert captured == [("new", 0), ("old", 1), ("new", 0)]


@pytest.mark.gpu
def test_run_on_a_gpu_gives_the_same_bits_alone_and_among_others(tmp_path: Path) -> None:
    schedule = schedule_of(tmp_path)
    jobs = [Job(run, "toy", "", earlier=schedule.earlier(run)) for run in schedule.runs]
    material = schedule.materials[schedule.runs[0].group.material]
    busy = RunExecutor("cuda")
    among = [busy.execute(job, material) for job in jobs][3]
    alone = RunExecutor("cuda").execute(jobs[3], material)
    assert among["predictions/test.jsonl"] == alone["predictions/test.jsonl"]
    assert scores_of(among) == scores_of(alone)
