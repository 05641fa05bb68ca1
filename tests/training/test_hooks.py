"""Extensions of the trainer: loaded where a plan asks for them, and nowhere else."""

import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")

from aspectlab.errors import ConfigError
from aspectlab.models import Plan
from aspectlab.training.recipe import decisive_settings, load_extensions, plan_to_dict

PROGRAM = """
import sys
from aspectlab.encoders import load_encoder
from aspectlab.models import Plan, build_model
from aspectlab.readers import read
from aspectlab.training import fit
examples = read("examples/sample_train.jsonl").examples
plan = Plan(epochs=1, batch_size=8, precision="fp32")
fit(build_model("marked", load_encoder("tiny")), examples[:16], examples[16:32], plan=plan, device="cpu")
features = "aspectlab.training.extensions", "aspectlab.metamorphic", "aspectlab.robustness"
print(*sorted(name for name in sys.modules if name.startswith(features)))
"""


def test_plain_training_loads_no_extension() -> None:
    answer = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == ""


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, []),
        ({"mato_aspect": 0.5}, []),
        ({"mato": True}, ["MatoExtension"]),
        ({"mato": True, "mato_variant": "contrast"}, ["ContrastExtension"]),
        ({"curriculum": 0.5, "mato": True}, ["CurriculumExtension", "MatoExtension"]),
        ({"variant_ratio": 1.0}, ["CurriculumExtension"]),
    ],
)
def test_plan_chooses_its_extensions(settings: dict[str, object], expected: list[str]) -> None:
    found = load_extensions(Plan(**settings))  # type: ignore[arg-type]
    assert [type(extension).__name__ for extension in found] == expected


def test_unknown_setting_of_a_plan_is_named() -> None:
    with pytest.raises(ConfigError, match="setting 'epoch' is unknown: did you mean 'epochs'"):
        load_extensions(Plan(epoch=3))  # type: ignore[call-arg]


def test_settings_of_extensions_that_are_not_used_decide_nothing() -> None:
    plain, idle = Plan(epochs=2), Plan(epochs=2, mato_aspect=0.5, curriculum_order="revnon")
    assert decisive_settings(plain) == decisive_settings(idle)
    assert "mato" in plan_to_dict(plain)


def test_later_setting_changes_no_id_at_its_default() -> None:
    assert "accumulate" not in decisive_settings(Plan())
    assert decisive_settings(Plan(accumulate=2)) == {**decisive_settings(Plan()), "accumulate": 2}
    assert plan_to_dict(Plan())["accumulate"] == 1
