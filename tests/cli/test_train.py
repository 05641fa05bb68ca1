"""`aspectlab train`, `predict`, `evaluate` and `posttrain` as a user meets them."""

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the commands need the extra 'train'")

from typer.testing import CliRunner, Result

from aspectlab.cli.main import app
from aspectlab.errors import AspectlabError
from aspectlab.readers import read
from aspectlab.training import load_model, trainer

POLARITY = {"lovely": "positive", "awful": "negative", "there": "neutral"}
ASPECTS = ["soup", "bread", "tea", "waiter"]


def write_corpus(path: Path, start: str, extra: list[dict[str, object]] | None = None) -> str:
    """Twelve sentences such as "Today the soup was lovely."."""
    texts = [(f"{start} the {aspect} was {word}.", aspect, word) for aspect in ASPECTS for word in POLARITY]
    records = [record(str(n), text, aspect, POLARITY[word]) for n, (text, aspect, word) in enumerate(texts)]
    path.write_text("\n".join(json.dumps(line) for line in [*records, *(extra or [])]), encoding="utf-8")
    return str(path)


def record(name: str, text: str, aspect: str, polarity: str) -> dict[str, object]:
    start = text.index(aspect)
    place = {"text": aspect, "start": start, "end": start + len(aspect)}
    quad = {"aspect": place, "category": None, "opinion": None, "polarity": polarity}
    return {"id": name, "text": text, "quads": [quad]}


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def train(folder: Path, *options: str | Path, model: str = "marked") -> Result:
    parts = ["--train", folder / "train.jsonl", "--dev", folder / "dev.jsonl", "--out", folder / "model"]
    small = ["--encoder", "tiny", "--epochs", "2", "--device", "cpu", "--set", "precision=fp32"]
    return run("train", "--model", model, *parts, *small, *options)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_corpus(tmp_path / "train.jsonl", "Today")
    write_corpus(tmp_path / "dev.jsonl", "Yesterday")
    write_corpus(tmp_path / "test.jsonl", "Tomorrow")
    return tmp_path


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """A folder with a trained model, and what the command said."""
    place = tmp_path_factory.mktemp("trained")
    for name, start in (("train", "Today"), ("dev", "Yesterday"), ("test", "Tomorrow")):
        write_corpus(place / f"{name}.jsonl", start)
    return place, train(place, "--seed", "7", "--set", "dropout=0.3")


def test_train_saves_a_model_and_prints_dev_scores(trained: tuple[Path, Result]) -> None:
    place, answer = trained
    assert answer.exit_code == 0, answer.output
    assert "accuracy" in answer.stdout
    assert answer.stdout.splitlines()[-1].startswith("atsc-accuracy|corpus:")
    assert "epoch 2/2:" in answer.stderr
    assert load_model(place / "model").drop.p == 0.3
    assert not (place / "model" / "unfinished").exists()


def test_train_prints_dev_scores_as_json_that_evaluate_repeats(folder: Path) -> None:
    # epoch notices go to stderr, so that a program can read stdout
    printed = json.loads(train(folder, "--json").stdout)
    again = run(
        "evaluate", folder / "model", folder / "dev.jsonl", "--resamples", "0", "--device", "cpu", "--json"
    )
    assert printed["accuracy"] == json.loads(again.stdout)["accuracy"]
    assert printed["signature"].startswith("atsc-accuracy|corpus:")


def test_train_writes_a_card(trained: tuple[Path, Result]) -> None:
    place, answer = trained
    card = (place / "model" / "README.md").read_text(encoding="utf-8")
    facts = ["# marked", "| encoder | tiny |", "| seed | 7 |", "| dropout | 0.3 |", "| epochs | 2 |"]
    hashes = [read(place / f"{part}.jsonl").provenance.sha256 for part in ("train", "dev")]
    signature = answer.stdout.splitlines()[-1]
    assert [fact for fact in (*facts, *hashes, signature) if fact not in card] == []


def test_predict_writes_the_corpus_with_confidence(trained: tuple[Path, Result], tmp_path: Path) -> None:
    place, _ = trained
    answer = run("predict", place / "model", place / "test.jsonl", "--out", tmp_path / "out.jsonl")
    assert answer.exit_code == 0, answer.output
    gold, predicted = read(place / "test.jsonl"), read(tmp_path / "out.jsonl")
    assert [example.text for example in predicted] == [example.text for example in gold]
    confidence = predicted.examples[0].quads[0].confidence
    assert confidence is not None
    assert set(confidence) == {"positive", "negative", "neutral"}
    assert sum(confidence.values()) == pytest.approx(1, abs=1e-5)


def test_evaluate_says_what_score_says_of_the_predictions(
    trained: tuple[Path, Result], tmp_path: Path
) -> None:
    place, _ = trained
    run("predict", place / "model", place / "test.jsonl", "--out", tmp_path / "out.jsonl")
    scored = run("score", place / "test.jsonl", tmp_path / "out.jsonl", "--task", "atsc", "--json")
    evaluated = run("evaluate", place / "model", place / "test.jsonl", "--json")
    assert json.loads(evaluated.stdout) == json.loads(scored.stdout)


def test_predict_takes_a_plain_text(trained: tuple[Path, Result], tmp_path: Path) -> None:
    place, _ = trained
    (tmp_path / "lines.txt").write_text("Today the soup was lovely.\n\nIt rained.\n", encoding="utf-8")
    answer = run("predict", place / "model", tmp_path / "lines.txt", "--out", tmp_path / "out.jsonl")
    assert answer.exit_code == 0, answer.output
    assert [example.text for example in read(tmp_path / "out.jsonl")] == [
        "Today the soup was lovely.",
        "It rained.",
    ]
    refused = run("evaluate", place / "model", tmp_path / "lines.txt")
    assert "found plain text: expected labels" in str(refused.exception)


def test_predict_says_how_many_aspects_were_passed_over(trained: tuple[Path, Result], tmp_path: Path) -> None:
    place, _ = trained
    named = {"aspect": {"text": "ambience"}, "category": None, "opinion": None, "polarity": "positive"}
    line = record("1", "Today the soup was lovely.", "soup", "positive")
    line["quads"] = [*line["quads"], named]  # type: ignore[misc]
    (tmp_path / "some.jsonl").write_text(json.dumps(line), encoding="utf-8")
    answer = run("predict", place / "model", tmp_path / "some.jsonl", "--out", tmp_path / "out.jsonl")
    assert "passed over 1 of 2 aspects" in answer.stderr
    scored = run("evaluate", place / "model", tmp_path / "some.jsonl")
    assert "1 of 2 given cases (aspect) have no prediction and count as wrong" in scored.stderr


def test_train_repeats_with_the_seed(trained: tuple[Path, Result], folder: Path) -> None:
    place, _ = trained
    train(folder, "--seed", "7", "--set", "dropout=0.3")
    first, second = (path / "model" / "model.safetensors" for path in (place, folder))
    assert first.read_bytes() == second.read_bytes()


def test_train_resumes_after_an_interrupt(
    trained: tuple[Path, Result], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, _ = trained
    options = ["--seed", "7", "--set", "dropout=0.3"]
    real = trainer.Trainer._epoch

    def stop_in_second(self: trainer.Trainer, *rest: object) -> object:
        if rest[3] == 1:
            raise KeyboardInterrupt
        return real(self, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(trainer.Trainer, "_epoch", stop_in_second)
    stopped = train(folder, *options)
    assert stopped.exit_code != 0
    assert "stopped; the same command with --resume goes on" in stopped.stderr
    monkeypatch.undo()
    refused = train(folder, *options)
    assert "holds an unfinished training; add --resume" in str(refused.exception)
    assert train(folder, *options, "--resume").exit_code == 0
    first, second = (path / "model" / "model.safetensors" for path in (place, folder))
    assert first.read_bytes() == second.read_bytes()


def test_train_refuses_to_replace_a_model(trained: tuple[Path, Result]) -> None:
    place, _ = trained
    assert "already holds a finished model; choose another --out" in str(train(place).exception)


def test_train_refuses_to_replace_another_folder(folder: Path) -> None:
    (folder / "model").mkdir()
    (folder / "model" / "thesis.txt").write_text("years of work", encoding="utf-8")
    assert "already exists and is not a saved model" in str(train(folder).exception)


@pytest.mark.parametrize("out", ["train.jsonl", "train.jsonl/model"])
def test_train_refuses_a_place_where_no_folder_can_be(folder: Path, out: str) -> None:
    answer = train(folder, "--out", folder / out)
    assert "train.jsonl is not a folder that can be written to" in str(answer.exception)


def test_train_refuses_dev_texts_that_stand_in_train(folder: Path) -> None:
    leaked = record("x", "Today the soup was lovely.", "soup", "positive")
    write_corpus(folder / "dev.jsonl", "Yesterday", [leaked])
    answer = train(folder)
    assert isinstance(answer.exception, AspectlabError)
    assert "corpus 'dev': 1 texts occur in the training corpus 'train'" in str(answer.exception)
    assert not (folder / "model").exists()


def test_train_leaves_conflict_out_with_a_notice(folder: Path) -> None:
    torn = record("x", "Odd, the soup was both.", "soup", "conflict")
    write_corpus(folder / "train.jsonl", "Today", [torn])
    answer = train(folder)
    assert answer.exit_code == 0, answer.output
    assert "train.jsonl: conflict quads dropped: 1 (x)" in answer.stderr


def test_train_leaves_shared_texts_out_on_request(folder: Path) -> None:
    leaked = record("x", "Yesterday the soup was lovely.", "soup", "positive")
    write_corpus(folder / "train.jsonl", "Today", [leaked])
    answer = train(folder, "--drop-shared")
    assert answer.exit_code == 0, answer.output
    assert "left out, since dev has them too: 1" in answer.stderr


def test_train_learns_from_other_corpora_what_is_new_in_them(folder: Path) -> None:
    known = [record("x", "Yesterday, the soup was lovely!", "soup", "positive")]
    write_corpus(folder / "more.jsonl", "Tomorrow", known)
    write_corpus(folder / "last.jsonl", "Tonight")
    unseen = record("y", "Today the tea was there.", "tea", "neutral")
    (folder / "test.jsonl").write_text(json.dumps(unseen), encoding="utf-8")
    also = ["--also", folder / "more.jsonl", "--also", folder / "last.jsonl"]
    answer = train(folder, *also, "--exclude", folder / "test.jsonl")
    assert answer.exit_code == 0, answer.output
    assert "train: left out, since an excluded set has them too: 1" in answer.stderr
    assert "more.jsonl: 12 of 13 examples are new" in answer.stderr
    card = (folder / "model" / "README.md").read_text(encoding="utf-8")
    assert all(f"- {part} examples" in card for part in ("train: train, 11", "also 1: more, 12"))
    assert "also 2: last, 12 examples" in card


def test_train_on_other_corpora_asks_for_the_test_sets(folder: Path) -> None:
    answer = train(folder, "--also", folder / "test.jsonl")
    assert answer.exit_code == 0, answer.output
    assert "name the test sets with --exclude" in answer.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "dropuot=0.1"], "model marked: setting 'dropuot' is unknown: did you mean 'dropout'?"),
        (["--set", "dropout=much"], "dropout = 'much': expected a number"),
        (["--set", "epochs=1.5"], "epochs = '1.5': expected a whole number"),
        (["--set", "optimizer=lion"], "optimizer = 'lion': expected one of adamw, adam, adagrad, sgd"),
        (["--set", "dropout"], "expected KEY=VALUE"),
        (["--task", "aste"], "model 'marked': task 'aste' does not fit: expected 'atsc'"),
        (["--device", "warp"], "device 'warp' is unknown"),
        (["--set", "dropout=7"], "model marked: dropout = 7.0: expected a share from 0 to below 1"),
        (["--set", "clip=-1"], "model marked: clip = -1.0: expected a number above 0"),
        (["--learning-rate", "-1"], "plan: learning_rate = -1.0: expected a rate above 0"),
        (["--seed", str(10**20)], f"seed = {10**20}: expected a whole number from 0 to 4294967295"),
        (["--encoder", "vectors:nowhere"], "there is no file 'nowhere'"),
    ],
)
def test_train_refuses_settings_that_do_not_fit(folder: Path, options: list[str], message: str) -> None:
    answer = train(folder, *options)
    assert isinstance(answer.exception, AspectlabError)
    assert message in str(answer.exception)
    assert not (folder / "model").exists()


@pytest.mark.parametrize(
    ("model", "setting", "expected"),
    [
        ("span-aste", "width_size=-1", "width_size = -1: expected a whole number from 1 on"),
        ("span-aste", "kept=nan", "kept = nan: expected a number above 0"),
        ("memnet", "hops=-1", "hops = -1: expected a whole number from 0 on"),
        ("simstar", "link_threshold=45", "link_threshold = 45.0: expected a share from 0 to 1"),
        ("marked", "consistency=-1", "consistency = -1.0: expected a number from 0 on"),
        ("marked", "consistency=inf", "consistency = inf: expected a number from 0 on"),
        ("simstar", "alpha=nan", "alpha = nan: expected a share from 0 to 1"),
        ("rgat-bert", "heads=7", "hidden = 100, heads = 7: expected a multiple of heads for hidden"),
    ],
)
def test_train_refuses_a_value_that_no_model_has(
    folder: Path, model: str, setting: str, expected: str
) -> None:
    answer = train(folder, "--set", setting, model=model)
    assert isinstance(answer.exception, AspectlabError)
    assert expected in str(answer.exception)


def test_train_lets_a_setting_decide_the_task(folder: Path) -> None:
    answer = train(folder, "--task", "atsc", "--set", "given=true", model="lcf-atepc")
    assert answer.exit_code == 0, answer.output
    assert "A model for atsc" in (folder / "model" / "README.md").read_text(encoding="utf-8")


def test_train_names_the_nearest_model(folder: Path) -> None:
    assert "did you mean 'marked'" in str(train(folder, model="maked").exception)


def test_train_sets_anything_of_the_plan(folder: Path) -> None:
    answer = train(
        folder, "--set", "encoder_learning_rate=none", "--set", "layer_decay=0.9", "--batch-size", "4"
    )
    assert answer.exit_code == 0, answer.output
    card = (folder / "model" / "README.md").read_text(encoding="utf-8")
    assert "| layer_decay | 0.9 |" in card
    assert "| batch_size | 4 |" in card


@pytest.mark.parametrize(
    ("out", "message"), [("absent/a.jsonl", "not a folder that can be"), ("", "found a folder")]
)
def test_predict_refuses_an_out_that_cannot_be_written_before_it_works(
    folder: Path, out: str, message: str
) -> None:
    answer = run("predict", folder / "no-model", folder / "test.jsonl", "--out", folder / out)
    # the model is not even looked for
    assert message in str(answer.exception)


def test_predict_does_not_write_over_the_corpus_that_it_reads(folder: Path) -> None:
    file = folder / "test.jsonl"
    before = file.read_bytes()
    answer = run("predict", folder / "no-model", file, "--out", folder / "." / "test.jsonl")
    assert "is an input and would be overwritten; choose another --out" in str(answer.exception)
    assert file.read_bytes() == before


def test_predict_says_that_the_model_needs_aspects(trained: tuple[Path, Result], tmp_path: Path) -> None:
    place, _ = trained
    (tmp_path / "bare.csv").write_text("id,text\n1,The soup was lovely\n", encoding="utf-8")
    answer = run("predict", place / "model", tmp_path / "bare.csv", "--out", tmp_path / "out.jsonl")
    assert answer.exit_code == 0, answer.output
    assert "found no aspect in the texts: task 'atsc' is about those that are given" in answer.stderr


def test_predict_names_a_folder_that_is_no_model(folder: Path) -> None:
    answer = run("predict", folder, folder / "test.jsonl", "--out", folder / "out.jsonl")
    assert "expected a folder that `aspectlab train` wrote" in str(answer.exception)


def posttrain(folder: Path, *options: str | Path) -> Result:
    text = folder / "reviews.txt"
    text.write_text("We liked the bread and the tea a lot.\n" * 200 + "Tomorrow the soup was awful.\n")
    small = ["--encoder", "tiny", "--steps", "3", "--batch-size", "4", "--device", "cpu"]
    return run("posttrain", text, *small, "--out", folder / "encoder", *options)


def test_posttrain_makes_an_encoder_and_leaves_test_sentences_out(folder: Path) -> None:
    answer = posttrain(folder, "--exclude", folder / "test.jsonl", "--json")
    assert answer.exit_code == 0, answer.output
    report = json.loads(answer.stdout)
    assert (report["lines"], report["excluded_lines"], report["steps"]) == (201, 1, 3)
    assert "201 lines, 1 left out" in answer.stderr
    # a sentence that is always the same is easy, but three steps are too few
    assert "the encoder guesses worse than by frequency alone" in answer.stderr
    assert train(folder, "--encoder", folder / "encoder", model="bert-pt").exit_code == 0


def test_posttrain_wants_the_test_sets_and_says_why(folder: Path) -> None:
    answer = posttrain(folder)
    assert isinstance(answer.exception, AspectlabError)
    assert "--exclude is missing; name every test set" in str(answer.exception)
    assert not (folder / "encoder").exists()


def test_posttrain_takes_minutes_or_steps(folder: Path) -> None:
    answer = posttrain(folder, "--exclude", folder / "test.jsonl", "--minutes", "1")
    assert "--minutes and --steps: expected only one of them" in str(answer.exception)


def test_posttrain_of_no_minutes_is_not_one_of_five(folder: Path) -> None:
    answer = posttrain(folder, "--exclude", folder / "test.jsonl", "--minutes", "0")
    assert "--minutes 0: expected a time above 0" in str(answer.exception)


@pytest.mark.parametrize("rate", ["-5", "nan"])
def test_posttrain_refuses_a_rate_that_would_spoil_the_weights(folder: Path, rate: str) -> None:
    answer = posttrain(folder, "--exclude", folder / "test.jsonl", "--learning-rate", rate)
    assert "--learning-rate = " in str(answer.exception)
    assert not (folder / "encoder").exists()


def test_posttrain_replaces_nothing(folder: Path) -> None:
    (folder / "encoder").mkdir()
    answer = posttrain(folder, "--exclude", folder / "test.jsonl")
    assert "already exists" in str(answer.exception)


@pytest.mark.parametrize("command", ["train", "predict", "evaluate", "posttrain"])
def test_command_help_holds_an_example(command: str) -> None:
    assert f"Example: aspectlab {command} " in run(command, "--help").stdout.replace("\n", " ")


def test_predict_refuses_options_of_chat_models_also_where_they_say_what_is_usual(folder: Path) -> None:
    train(folder)
    answer = run(
        "predict", folder / "model", folder / "test.jsonl", "--out", folder / "p.jsonl", "--task", "aste"
    )
    assert "--task: " in str(answer.exception)
    assert not (folder / "p.jsonl").exists()


def test_train_refuses_a_trained_model_as_its_encoder(folder: Path) -> None:
    train(folder)
    answer = train(folder, "--out", folder / "second", "--encoder", folder / "model")
    assert "holds a trained model: expected an encoder" in str(answer.exception)


def test_train_refuses_a_mounted_folder_before_it_trains(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "model").mkdir()
    monkeypatch.setattr("os.path.ismount", lambda path: Path(path) == folder / "model")
    answer = train(folder)
    assert f"choose --out {folder / 'model' / 'model'}" in str(answer.exception)


def test_resume_of_a_folder_without_a_kept_epoch_says_that_it_begins_anew(folder: Path) -> None:
    (folder / "model" / "unfinished").mkdir(parents=True)
    assert "no unfinished training there; starting a new one" in train(folder, "--resume").output


def test_posttrain_names_its_folder_so_that_no_encoder_of_ours_is_taken(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "reviews.txt").write_text("The soup was lovely, and so was the tea.\n" * 40, encoding="utf-8")
    monkeypatch.chdir(folder)
    options = ["--exclude", "test.jsonl", "--encoder", "tiny", "--steps", "1", "--device", "cpu"]
    answer = run("posttrain", "reviews.txt", *options, "--out", "minilm")
    assert "--encoder ./minilm " in answer.output


def test_train_refuses_settings_of_mato_without_it(folder: Path) -> None:
    answer = train(folder, "--set", "mato_aspect=0.3")
    assert "mato_aspect does nothing without MATO; add --set mato=true" in str(answer.exception)
