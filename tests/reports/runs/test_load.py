"""What reports read: folders of runs and CSV files, and the names of systems."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from aspectlab.errors import ConfigError, DataError
from aspectlab.experiments.record import RunRecord, record_to_dict, write_record
from aspectlab.reports.runs.load import from_record, is_row_file, read_results, read_rows
from aspectlab.reports.runs.summary import find_system, name_systems
from tests.support.runs import RECORD, make_results

HEAD = "model,encoder,corpus,split,seed,settings,epoch,dev_f1,f1,arts_accuracy,ars_aspect,adddiff_2,seconds"


def write_run(folder: Path, record: RunRecord) -> None:
    (folder / record.id).mkdir()
    write_record(record, folder / record.id)


def test_results_of_a_record_are_in_percent(tmp_path: Path) -> None:
    write_run(tmp_path, RECORD)
    (found,) = read_results([tmp_path])
    assert (found.label, found.model, found.task, found.split, found.seed) == (
        "bert+mato",
        "bert",
        "aste",
        2,
        7,
    )
    assert found.scores == {"test": {"f1": 50.0}}
    assert found.settings == {"dedup": "true", "epochs": "3", "layers": "[1, 2]"}


def test_results_of_records_and_of_rows_name_their_study_and_what_made_them(tmp_path: Path) -> None:
    write_run(tmp_path, RECORD)
    head = "model,corpus,split,seed,f1,study,made_by"
    (tmp_path / "rows.csv").write_text(f"{head}\nbert,cup,1,1,50,tea,a-script.py 0.1.0\n", encoding="utf-8")
    row, record = sorted(read_results([tmp_path]), key=lambda result: result.corpus)
    assert row.scores == record.scores == {"test": {"f1": 50.0}}
    assert row.provenance == "rows, study tea, a-script.py 0.1.0"
    assert record.provenance == "1f, study tea, aspectlab run 0.1.0"


PUBLISHED_ROWS = [path for path in sorted(Path("studies/results").glob("*.csv")) if is_row_file(path)]


@pytest.mark.parametrize("path", PUBLISHED_ROWS, ids=lambda path: path.stem)
def test_published_rows_name_their_study_and_what_made_them(path: Path) -> None:
    rows = read_rows(path)
    assert {row.study for row in rows} == {path.stem}
    assert path.with_suffix(".toml").is_file()
    assert all(re.fullmatch(r"(aspectlab run|\S+\.py) \d+\.\d+\.\d+", row.made_by) for row in rows)


def test_results_have_accuracy_once_where_it_is_micro_f1(tmp_path: Path) -> None:
    write_run(tmp_path, replace(RECORD, metrics={"test": {"accuracy": 0.5, "f1": 0.5, "macro_f1": 0.25}}))
    assert read_results([tmp_path])[0].scores == {"test": {"accuracy": 50.0, "macro_f1": 25.0}}


def test_results_keep_f1_of_a_run_that_has_nothing_right(tmp_path: Path) -> None:
    # at 0 the two agree by chance: without this run the mean of F1 would be 60, not 30
    write_run(tmp_path, replace(RECORD, metrics={"test": {"accuracy": 0.5, "f1": 0.6}}))
    write_run(tmp_path, replace(RECORD, id="2f", seed=8, metrics={"test": {"accuracy": 0.0, "f1": 0.0}}))
    assert [result.scores["test"]["f1"] for result in read_results([tmp_path])] == [60.0, 0.0]


def test_results_of_one_run_are_read_from_its_own_folder(tmp_path: Path) -> None:
    write_run(tmp_path, RECORD)
    assert len(read_results([tmp_path / RECORD.id])) == 1


@pytest.mark.parametrize(
    "change",
    [{"label": "a\ud800"}, {"corpus": "\udcff"}, {"settings": {"\ud800": 1}}, {"metrics": {"\ud800": {}}}],
)
def test_results_pass_over_a_run_with_half_a_surrogate_pair(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, change: dict[str, object]
) -> None:
    write_run(tmp_path, RECORD)
    path = tmp_path / "2f" / "run.json"
    path.parent.mkdir()
    path.write_text(json.dumps({**record_to_dict(RECORD), "id": "2f", **change}), encoding="utf-8")
    assert len(read_results([tmp_path])) == 1
    assert f"{path}: found half a surrogate pair" in caplog.text


def test_results_pass_over_unfinished_runs(tmp_path: Path) -> None:
    write_run(tmp_path, RECORD)
    write_run(tmp_path, replace(RECORD, id=".2f"))
    (tmp_path / "3f").mkdir()
    (tmp_path / "3f" / "run.json").write_text('{"id": "3f", ', encoding="utf-8")
    assert len(read_results([tmp_path])) == 1


def test_columns_of_a_csv_file_say_which_test_set_they_are_of(tmp_path: Path) -> None:
    path = tmp_path / "aste.csv"
    path.write_text(f"{HEAD}\nbert,tiny,tea,1,2,epochs=3,4,99,50.5,40,,30,1.5\n", encoding="utf-8")
    (found,) = read_results([path])
    assert found.scores == {"test": {"f1": 50.5}, "arts": {"accuracy": 40}, "adddiff-2": {"accuracy": 30}}
    assert (found.task, found.settings) == ("aste", {"epochs": "3"})


def test_names_of_columns_may_have_blanks_around_them(tmp_path: Path) -> None:
    (tmp_path / "aste.csv").write_text("model, corpus, split, seed, f1\nbert, tea, 1, 2, 50\n")
    (found,) = read_results([tmp_path])
    assert (found.corpus, found.scores) == ("tea", {"test": {"f1": 50.0}})


@pytest.mark.parametrize("score", [float("nan"), float("inf"), 84.2, -0.1])
def test_results_pass_over_a_run_whose_score_is_no_fraction(
    tmp_path: Path, score: float, caplog: pytest.LogCaptureFixture
) -> None:
    write_run(tmp_path, RECORD)
    write_run(tmp_path, replace(RECORD, id="2f", seed=8, metrics={"test": {"f1": score}}))
    assert [result.seed for result in read_results([tmp_path])] == [7]
    assert "2f/run.json: key 'f1': found" in caplog.text


def test_runs_of_a_study_that_grew_are_one_system(tmp_path: Path) -> None:
    # split 1 is the same however many splits there are
    write_run(tmp_path, replace(RECORD, protocol={"splits": 2}))
    write_run(tmp_path, replace(RECORD, id="2f", seed=8, protocol={"splits": 3}))
    assert {system.name for system, _ in name_systems(read_results([tmp_path]))} == {"bert+mato/tiny"}


def test_runs_on_changed_files_are_told_apart_by_the_file_that_changed(tmp_path: Path) -> None:
    same = {"train": "a1" * 32}
    write_run(tmp_path, replace(RECORD, protocol={"sha256": {**same, "test:test": "0123abcd" * 8}}))
    write_run(tmp_path, replace(RECORD, id="2f", protocol={"sha256": {**same, "test:test": "ef" * 32}}))
    assert {system.name for system, _ in name_systems(read_results([tmp_path]))} == {
        "bert+mato/tiny [sha256:test:test=0123abcd]",
        "bert+mato/tiny [sha256:test:test=efefefef]",
    }


def test_results_pass_over_csv_files_of_a_folder_that_are_no_runs(tmp_path: Path) -> None:
    (tmp_path / "report.csv").write_text("model,mean\nbert,80\n", encoding="utf-8")
    write_run(tmp_path, RECORD)
    assert len(read_results([tmp_path])) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model,corpus,split\n", r"no column 'seed'"),
        ("model,corpus,split,seed,f1\nbert,tea,one,1,80\n", r"line 2: split = 'one'"),
        ("model,corpus,split,seed,f1\nbert,tea,1,1,good\n", r"line 2: f1 = 'good'"),
        ("model,corpus,split,seed,f1\nbert,tea,1,1,nan\n", r"line 2: f1 = 'nan'"),
        ("model,corpus,split,seed,f1\nbert,tea,1,1,8425\n", r"line 2: f1 = '8425': .* with a point"),
        ("model,corpus,split,seed,f1\nbert,tea,1,1,8_4\n", r"line 2: f1 = '8_4'"),
        ("model;corpus;split;seed;f1\nbert;tea;1;1;80\n", r"in 'model;corpus;.*commas between"),
        ("model,corpus,split,seed,f1\nbert,tea,1,1\n", r"line 2: found more or fewer cells"),
        ("model,corpus,split,seed,f1\nbert,tea,1,1,80,90\n", r"line 2: found more or fewer cells"),
        ("model,corpus,split,seed,f1\n", r"no finished run"),
        ("model,corpus,split,seed,f1,f1\nbert,tea,1,1,80,2\n", r"line 1: found the columns 'f1' and 'f1'"),
        ("model,model,corpus,split,seed,f1\na,b,tea,1,1,80\n", r"columns 'model' and 'model'"),
        ("model,corpus,split,seed,ars_aspect,arts_ars_aspect\na,tea,1,1,8,9\n", r"which mean the same"),
        ("model,corpus,split,seed,f1, f1\nbert,tea,1,1,80,2\n", r"line 1: found the columns 'f1' and 'f1'"),
        ("model,corpus,split,seed,f1\n,tea,1,1,80\n", r"line 2: model is empty: expected a name"),
        ("model,corpus,split,seed,f1\nbert, ,1,1,80\n", r"line 2: corpus is empty: expected a name"),
        ("model,corpus,split,seed,settings,f1\nbert,tea,1,1,fast lr=1,80\n", r"found the word 'fast'"),
    ],
)
def test_results_name_what_is_wrong_in_a_csv_file(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_results([path])


@pytest.mark.parametrize("name", ["", "nowhere"])
def test_results_refuse_a_place_without_runs(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=r"no finished run|cannot be read"):
        read_results([tmp_path / name])


def test_settings_that_differ_on_one_corpus_are_named() -> None:
    runs = make_results("bert", [[1.0]])
    changed = replace(runs[0], settings={"epochs": "6", "same": "x"}, seed=1)
    plain = replace(runs[0], settings={"same": "x"})
    assert [system.name for system, _ in name_systems([plain, changed])] == [
        "bert/tiny",
        "bert/tiny [epochs=6]",
    ]


def test_settings_that_differ_from_corpus_to_corpus_are_not_named() -> None:
    first, second = make_results("bert", [[1.0]]) + make_results("bert", [[1.0]], corpus="cup")
    named = name_systems(
        [replace(first, settings={"epochs": "3"}), replace(second, settings={"epochs": "6"})]
    )
    assert {system.name for system, _ in named} == {"bert/tiny"}


def test_settings_that_differ_from_split_to_split_are_not_named() -> None:
    runs = [replace(run, settings={"ids": str(run.split)}) for run in make_results("bert", [[1.0], [2.0]])]
    assert {system.name for system, _ in name_systems(runs)} == {"bert/tiny"}


def test_the_same_run_twice_is_refused() -> None:
    with pytest.raises(DataError, match=r"bert/tiny on tea, split 1, seed 1: found two runs"):
        name_systems(make_results("bert", [[1.0]]) * 2)


def test_the_same_run_in_two_folders_is_refused_by_their_names(tmp_path: Path) -> None:
    # as when the file of a split was replaced by another
    write_run(tmp_path, RECORD)
    write_run(tmp_path, replace(RECORD, id="2f"))
    with pytest.raises(
        DataError,
        match=r"the same settings \(1f, study tea, aspectlab run 0.1.0; 2f, .*\): expected one; remove one",
    ):
        name_systems(read_results([tmp_path]))


@pytest.mark.parametrize("name", ["bert", "bert/tiny"])
def test_system_is_found_by_name_or_model(name: str) -> None:
    systems = [system for system, _ in name_systems(make_results("bert", [[1.0]]))]
    assert find_system(name, systems, "--a").name == "bert/tiny"


def test_label_goes_before_the_model_of_a_variant() -> None:
    runs = make_results("bert", [[1.0]])
    systems = [system for system, _ in name_systems([*runs, replace(runs[0], label="bert+mato")])]
    assert find_system("bert", systems, "--a").name == "bert/tiny"


@pytest.mark.parametrize(("name", "message"), [("bert/tine", "did you mean"), ("bert", "found 2 systems")])
def test_unknown_or_ambiguous_system_is_refused(name: str, message: str) -> None:
    runs = make_results("bert", [[1.0]])
    systems = [system for system, _ in name_systems([*runs, replace(runs[0], encoder="large")])]
    with pytest.raises(ConfigError, match=message):
        find_system(name, systems, "--a")


@pytest.mark.parametrize("index", ["", "Unnamed: 0"])
def test_index_that_pandas_writes_is_no_score(tmp_path: Path, index: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(f"{index},model,corpus,split,seed,f1\n7,bert,tea,1,1,80\n", encoding="utf-8")
    (found,) = read_results([path])
    assert found.scores == {"test": {"f1": 80.0}}


def test_dev_scores_of_rows_and_records_are_read(tmp_path: Path) -> None:
    rows = "model,corpus,split,seed,dev_f1,dev_aspect,f1\nstage,14lap,1,1,58.5,20.1,60.5\n"
    (tmp_path / "aste.csv").write_text(rows, encoding="utf-8")
    (found,) = read_results([tmp_path / "aste.csv"])
    # dev_aspect is a rate of violations, which chooses nothing
    assert found.dev == {"f1": 58.5}
    assert from_record(RECORD).dev == {"f1": 90.0}
