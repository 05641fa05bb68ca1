"""Settings that no model can have, given in Python: an error of ours, not one of torch's."""

import pytest

pytest.importorskip("torch", reason="the models need the extra 'train'")

from aspectlab.encoders import load_encoder
from aspectlab.errors import ConfigError
from aspectlab.models import build_model


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
