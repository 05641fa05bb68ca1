"""One loop that trains every model, and what belongs to it."""

from aspectlab.models import Plan
from aspectlab.training.fitting import Fitted, fit
from aspectlab.training.predicting import predict
from aspectlab.training.saving import load_model, save_model

__all__ = ["Fitted", "Plan", "fit", "load_model", "predict", "save_model"]
