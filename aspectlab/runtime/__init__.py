"""Run a trained triplet model on plain texts: without torch, on the cores that are there."""

from aspectlab.insight.predictor import Predictor
from aspectlab.runtime.loading import ENGINES, SHIPPED, load_predictor

__all__ = ["ENGINES", "SHIPPED", "Predictor", "load_predictor"]
