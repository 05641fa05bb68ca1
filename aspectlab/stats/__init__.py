"""Numbers about numbers: arrays in, numbers out; numpy is all they need."""

from aspectlab.stats.decomposition import Decomposition, decompose, decompose_summary
from aspectlab.stats.intervals import Comparison, bootstrap, paired_bootstrap
from aspectlab.stats.means import cohen_d, welch
from aspectlab.stats.multiplicity import holm
from aspectlab.stats.outcome import Outcome
from aspectlab.stats.proportions import mcnemar
from aspectlab.stats.randomisation import approximate_randomisation
from aspectlab.stats.ranks import vargha_delaney, wilcoxon

__all__ = [
    "Comparison",
    "Decomposition",
    "Outcome",
    "approximate_randomisation",
    "bootstrap",
    "cohen_d",
    "decompose",
    "decompose_summary",
    "holm",
    "mcnemar",
    "paired_bootstrap",
    "vargha_delaney",
    "welch",
    "wilcoxon",
]
