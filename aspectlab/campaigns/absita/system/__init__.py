"""A system for the campaign: Italian aspect categories and their polarity, trained in a minute."""

from aspectlab.campaigns.absita.system.folds import cross_validate
from aspectlab.campaigns.absita.system.storing import load_system, save_system
from aspectlab.campaigns.absita.system.system import System, train_system

__all__ = ["System", "cross_validate", "load_system", "save_system", "train_system"]
