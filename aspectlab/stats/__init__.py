"""Numbers about numbers: arrays in, numbers out; numpy is all they need."""

from aspectlab.stats.decomposition import Decomposition, decompose, decompose_summary
from aspectlab.stats.friedman import critical_difference, friedman, mean_ranks
from aspectlab.stats.gaps import StandardError, gap_interval, standard_error
from aspectlab.stats.hierarchical import hierarchical_bootstrap
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
    "StandardError",
    "approximate_randomisation",
    "bootstrap",
    "cohen_d",
    "critical_difference",
    "decompose",
    "decompose_summary",
    "friedman",
    "gap_interval",
    "hierarchical_bootstrap",
    "holm",
    "mcnemar",
    "mean_ranks",
    "paired_bootstrap",
    "standard_error",
    "vargha_delaney",
    "welch",
    "wilcoxon",
]
