"""Export of quad-span: two networks, styles, and categories by name."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")
pytest.importorskip("openvino")

import torch

from aspectlab.data import Example, Quad
from aspectlab.encoders import load_encoder
from aspectlab.errors import ConfigError, DataError
from aspectlab.models import QuadSpan
from aspectlab.runtime import load_predictor
from aspectlab.training import SAMPLES, Extras, export_model, load_model, predict, save_model
from aspectlab.training.step import seed_everything
from tests.support.training import make_model

TEXTS = [*SAMPLES, "", "  ", "Soup.", "One long tale of soup and bread. " * 20]
STYLES = ("aste", "memd")
CATEGORIES = {"memd": ("FOOD#PRICES", "SERVICE#GENERAL", "ROOM#DESIGN_FEATURES")}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of random weights that are large enough to find something, otherwise in every style."""
    seed_everything(5)
    model = QuadSpan(load_encoder("tiny"), 3, styles=STYLES, categories=CATEGORIES, hidden=24, rank=8)
    with torch.no_grad():
        model.style.weight.normal_(std=0.5)
        model.read.weight *= 3
        model.read.bias.zero_()
        model.head.classify.bias[0] = 1.0
    folder = tmp_path_factory.mktemp("models") / "saved"
    save_model(model, folder)
    return folder


@pytest.fixture(scope="module")
def exported(saved: Path) -> Path:
    export_model(saved, saved.with_name("exported"), precision="fp32")
    return saved.with_name("exported")


def predict_by_torch(saved: Path, style: str | None, names: tuple[str, ...] = ()) -> list[tuple[Quad, ...]]:
    model = load_model(saved)
    assert isinstance(model, QuadSpan)
    if names:
        model.use_categories(dict.fromkeys(STYLES, names) | {"": names})
    examples = [Example(str(n), text, style=style) for n, text in enumerate(TEXTS)]
    return [example.quads for example in predict(model, examples)]


def shares_of(answers: list[tuple[Quad, ...]]) -> np.ndarray:
    return np.array([[*(quad.confidence or {}).values()] for quads in answers for quad in quads])


@pytest.mark.parametrize("style", [None, "aste", "memd"])
def test_export_predicts_what_the_model_predicts_in_every_style(
    style: str | None, saved: Path, exported: Path
) -> None:
    expected = predict_by_torch(saved, style)
    found = load_predictor(exported, threads=1, style=style or "house").predict(TEXTS)
    assert found == expected
    np.testing.assert_allclose(shares_of(found), shares_of(expected), atol=1e-4)
    quads = [quad for quads in found for quad in quads]
    if style is None:
        assert any(quad.aspect is None or quad.opinion is None for quad in quads)
    assert all((quad.category is None) == (style == "aste") for quad in quads)


def test_styles_differ_or_the_test_above_shows_nothing(saved: Path) -> None:
    answers = [predict_by_torch(saved, style) for style in (None, *STYLES)]
    assert sum(map(len, answers[0])) > 5
    plain = [[tuple(replace(q, category=None) for q in quads) for quads in each] for each in answers]
    assert plain[0] != plain[1] != plain[2] != plain[0]


def test_categories_are_any_names_that_are_given(saved: Path, exported: Path) -> None:
    names = ("nurses", "beds", "waiting time")
    predictor = load_predictor(exported, threads=1, categories=names)
    assert predictor.predict(TEXTS) == predict_by_torch(saved, None, names)
    found = {quad.category for quads in predictor.predict(TEXTS) for quad in quads}
    assert found
    assert found <= set(names)


def test_no_categories_give_none(exported: Path) -> None:
    predictor = load_predictor(exported, threads=1, style="memd", categories=[])
    assert {quad.category for quads in predictor.predict(TEXTS) for quad in quads} == {None}


def test_torch_reads_the_weights_of_an_export(saved: Path, exported: Path) -> None:
    ours, theirs, before = (
        load_predictor(folder, engine=engine, threads=1, style="memd")
        for folder, engine in ((exported, "openvino"), (exported, "torch"), (saved, "torch"))
    )
    assert ours.predict(TEXTS) == theirs.predict(TEXTS) == before.predict(TEXTS)
    np.testing.assert_allclose(ours.embed(TEXTS), theirs.embed(TEXTS), atol=1e-5)
    assert len({ours.identity, theirs.identity, before.identity}) == 3


@pytest.mark.parametrize("engine", ["openvino", "torch"])
def test_answer_is_the_same_to_the_last_digit_alone_and_in_a_batch(engine: str, exported: Path) -> None:
    predictor = load_predictor(exported, engine=engine, threads=1)
    alone = [predictor.predict([text])[0] for text in TEXTS]
    together = predictor.predict(TEXTS)
    assert together == alone
    np.testing.assert_array_equal(shares_of(together), shares_of(alone))


def test_identity_tells_styles_and_categories_apart(exported: Path) -> None:
    options: list[dict[str, object]] = [{}, {"style": "aste"}, {"style": "memd"}, {"categories": ["a"]}]
    names = {load_predictor(exported, threads=1, **each).identity for each in options}  # type: ignore[arg-type]
    assert len(names) == 4


def test_unknown_style_is_refused_with_those_that_are_known(exported: Path) -> None:
    with pytest.raises(ConfigError, match=r"style 'mend' is unknown: did you mean 'memd'.*house, aste, memd"):
        load_predictor(exported, threads=1, style="mend")


def change_settings(exported: Path, out: Path, **changes: object) -> Path:
    out.mkdir()
    for path in exported.iterdir():
        (out / path.name).write_bytes(path.read_bytes())
    config = json.loads((out / "config.json").read_text())
    config["settings"] |= changes
    (out / "config.json").write_text(json.dumps(config))
    return out


def test_house_style_is_the_one_that_the_folder_names(saved: Path, exported: Path, tmp_path: Path) -> None:
    folder = change_settings(exported, tmp_path / "house", house_style="memd")
    assert load_predictor(folder, threads=1).predict(TEXTS) == predict_by_torch(saved, "memd")


def test_calibrated_confidence_is_the_chance_that_the_opinion_is_right(
    exported: Path, tmp_path: Path
) -> None:
    steps = {"kind": "isotonic", "thresholds": [0.0, 1.0], "values": [0.0, 0.5]}
    folder = change_settings(exported, tmp_path / "sure", calibrator=steps)
    plain, calibrated = (load_predictor(each, threads=1) for each in (exported, folder))
    assert plain.identity != calibrated.identity
    found = calibrated.predict(TEXTS)
    assert found == plain.predict(TEXTS)
    shares = shares_of(found)
    assert 0 < shares.max() <= 0.5  # by hand: half of a probability
    assert (shares.sum(1) < 1).all()
    np.testing.assert_allclose(shares, shares_of(plain.predict(TEXTS)) / 2, atol=1e-4)


def test_export_is_calibrated_on_labelled_texts_in_its_house_style(saved: Path, tmp_path: Path) -> None:
    right = predict_by_torch(saved, "memd")
    # every other text is labelled as the model itself reads it
    examples = [Example(str(n), text, right[n] if n % 2 else ()) for n, text in enumerate(TEXTS)]
    extras = Extras(style="memd", calibrate=examples)
    export_model(saved, tmp_path / "calibrated", precision="fp32", extras=extras)
    config = json.loads((tmp_path / "calibrated" / "config.json").read_text())
    assert config["settings"]["house_style"] == "memd"
    assert config["calibration"]["opinions"] == sum(map(len, right))
    assert config["calibration"]["correct"] == sum(map(len, right[1::2]))
    assert config["parity"]["equal"] == 1
    shares = shares_of(load_predictor(tmp_path / "calibrated", threads=1).predict(TEXTS)).max(1)
    # a logistic regression with a bias promises on average what is right
    assert shares.mean() == pytest.approx(config["calibration"]["correct"] / len(shares), abs=0.02)


def test_stage_has_neither_styles_nor_calibrators(tmp_path: Path) -> None:
    save_model(make_model("stage"), tmp_path / "stage")
    with pytest.raises(ConfigError, match="a model of kind stage knows neither styles nor calibrators"):
        export_model(tmp_path / "stage", tmp_path / "out", extras=Extras(style="memd"))
    with pytest.raises(ConfigError, match="style = 'memd': the model 'stage' knows no style"):
        load_predictor(tmp_path / "stage", style="memd")


def test_style_that_the_model_has_not_learnt_cannot_be_its_house_style(saved: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--style 'mend' is unknown: did you mean 'memd'"):
        export_model(saved, tmp_path / "out", extras=Extras(style="mend"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"styles": "aste"}, "settings.styles = 'aste': expected a list of names"),
        ({"house_style": "mend"}, "settings.house_style = 'mend': expected one of aste, memd, or null"),
        ({"threshold": 3}, "settings.threshold = 3.0: expected a probability"),
        ({"scale": "much"}, "settings.scale = 'much': expected a number"),
        ({"sizes": {"hidden": 10**12}}, "settings.sizes.hidden = 1000000000000: expected a whole number"),
        ({"calibrator": {"kind": "oracle"}}, "calibrator: kind = 'oracle'"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    changes: dict[str, object], message: str, exported: Path, tmp_path: Path
) -> None:
    folder = change_settings(exported, tmp_path / "strange", **changes)
    with pytest.raises(DataError, match=message):
        load_predictor(folder, threads=1)


def test_head_that_is_not_named_is_refused_since_nobody_knows_its_sha256(
    exported: Path, tmp_path: Path
) -> None:
    folder = change_settings(exported, tmp_path / "headless")
    config = json.loads((folder / "config.json").read_text())
    del config["files"]["head.xml"]
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(DataError, match=r"expected the files head\.bin and head\.xml"):
        load_predictor(folder)


def test_altered_head_is_refused(exported: Path, tmp_path: Path) -> None:
    folder = change_settings(exported, tmp_path / "altered")
    (folder / "head.bin").write_bytes(b"0" * 9)
    with pytest.raises(DataError, match=r"head\.bin: found sha256"):
        load_predictor(folder)


def test_export_runs_without_torch(exported: Path) -> None:
    program = (
        "import sys; from aspectlab.runtime import load_predictor; "
        f"p = load_predictor({str(exported)!r}, threads=1, categories=['food']); "
        "p.predict(['Lovely soup.']); p.embed(['soup']); print(*sys.modules)"
    )
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "openvino" in answer.stdout.split()
    assert not {"torch", "transformers"} & set(answer.stdout.split())
