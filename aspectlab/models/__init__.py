"""Every model, one file and one line each."""

from aspectlab.models.model import Model
from aspectlab.models.plan import Plan
from aspectlab.models.table import MODELS, build_model

__all__ = ["MODELS", "Model", "Plan", "build_model"]
