"""Settings that no model can have, given in Python: an error of ours, not one of torch's."""

from typing import Annotated, get_type_hints

import pytest

pytest.importorskip("torch", reason="the models need the extra 'train'")

from torch import Tensor, nn

from aspectlab.encoders import Encoder, load_encoder
from aspectlab.encodings import PairBatch
from aspectlab.errors import ConfigError
from aspectlab.models import MODELS, Model, Plan, build_model
from aspectlab.models.hyperparameters import Range, find_range_problem, ranges_of
from aspectlab.nn import masked_mean
from aspectlab.registry import Registry


def settings_without_range(kind: type) -> set[str]:
    """The numbers among the settings of a model or a plan that declare no range."""
    hints = get_type_hints(kind.__init__)  # type: ignore[misc]
    numbers = {name for name, hint in hints.items() if {int, float} & {hint, *getattr(hint, "__args__", ())}}
    return numbers - {"n_labels"} - ranges_of(kind).keys()


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("marked", {"dropout": 7}, "model marked: dropout = 7: expected a share from 0 to below 1"),
        ("marked", {"dropout": "half"}, "model marked: it cannot be built with dropout = 'half': "),
        ("simstar", {"reach": 0}, "model simstar: reach = 0: expected a whole number from 1 on"),
        ("stage", {"hidden": 10**20}, f"model stage: it cannot be built with hidden = {10**20}: "),
        ("stage", {"snippet": float("inf")}, "model stage: snippet = inf: expected a number from 0 on"),
        ("stage", {"snippet": -5.0}, "model stage: snippet = -5.0: expected a number from 0 on"),
        ("simstar", {"alpha": -1.0}, "model simstar: alpha = -1.0: expected a share from 0 to 1"),
        ("minicongts", {"gamma": -2.0}, "model minicongts: gamma = -2.0: expected a number from 0 on"),
    ],
)
def test_model_is_not_built_with_settings_that_do_not_fit(
    name: str, settings: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        build_model(name, load_encoder("tiny"), settings)
    assert message in str(caught.value)


@pytest.mark.parametrize("kind", [*dict.fromkeys(MODELS.values()), Plan])
def test_setting_that_is_a_number_declares_its_range(kind: type) -> None:
    assert settings_without_range(kind) == set()


class Tempered(Model):
    """A model as its author writes it: one file, and the range of a setting beside the setting."""

    def __init__(
        self,
        encoder: Encoder,
        n_labels: int,
        *,
        temperature: Annotated[float, Range(0.5, 2, "a temperature from 0.5 to 2")] = 1.0,
    ) -> None:
        super().__init__(encoder)
        self.temperature = temperature
        self.classify = nn.Linear(encoder.width, n_labels)

    def forward(self, batch: PairBatch[Tensor]) -> Tensor:
        scores = self.classify(masked_mean(self.encoder(batch), batch.in_second))
        assert isinstance(scores, Tensor)
        return scores / self.temperature


class Forgotten(Tempered):
    """The same, with a setting whose author forgot the range."""

    def __init__(self, encoder: Encoder, n_labels: int, *, temperature: float = 1.0) -> None:
        super().__init__(encoder, n_labels, temperature=temperature)


def test_new_setting_of_a_model_needs_no_second_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODELS, "_targets", dict(MODELS._targets))
    assert isinstance(MODELS, Registry)
    MODELS.add("tempered", f"{__name__}:Tempered")
    assert settings_without_range(MODELS["tempered"]) == set()
    assert isinstance(build_model("tempered", load_encoder("tiny"), {"temperature": 2.0}), Tempered)
    expected = "model tempered: temperature = 9.0: expected a temperature from 0.5 to 2"
    with pytest.raises(ConfigError, match=expected):
        build_model("tempered", load_encoder("tiny"), {"temperature": 9.0})


def test_new_setting_without_a_range_is_found_by_the_contract() -> None:
    assert settings_without_range(Forgotten) == {"temperature"}
    # until its author declares one, it may be any finite number
    assert find_range_problem(Forgotten, "temperature", 9.0) is None
    assert find_range_problem(Forgotten, "temperature", float("nan")) is not None


@pytest.mark.parametrize("value", [10**400, {}, {"": 0}])
def test_value_that_no_number_can_be_is_refused_by_its_setting(value: object) -> None:
    with pytest.raises(ConfigError, match=r"model stage: snippet = .*: expected a number from 0 on"):
        build_model("stage", "tiny", {"snippet": value})
