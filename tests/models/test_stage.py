"""STAGE: the scores that need no vector of a span are those that do."""

from collections.abc import Callable

import pytest

pytest.importorskip("torch", reason="the models need the extra 'train'")

import torch

from aspectlab.models import Model
from aspectlab.models.stage import STAGE


def test_stage_scores_spans_by_their_ends_as_by_their_vectors(build_tiny: Callable[[str], Model]) -> None:
    model = build_tiny("stage").eval()
    assert isinstance(model, STAGE)
    words = torch.randn(2, 30, 200)
    with torch.no_grad():
        # without dropout, both are W [h_i; h_j; h_i + ... + h_j] + b
        torch.testing.assert_close(model._score_ends(words), model._score_spans(words), rtol=1e-4, atol=1e-4)
