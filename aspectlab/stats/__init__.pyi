from aspectlab.stats.decomposition import (
    Decomposition as Decomposition,
    StandardError as StandardError,
    decompose as decompose,
    decompose_summary as decompose_summary,
    gap_interval as gap_interval,
    standard_error as standard_error,
)
from aspectlab.stats.ranks import (
    critical_difference as critical_difference,
    friedman as friedman,
    mean_ranks as mean_ranks,
    vargha_delaney as vargha_delaney,
    wilcoxon as wilcoxon,
)
from aspectlab.stats.resampling import (
    Comparison as Comparison,
    approximate_randomisation as approximate_randomisation,
    bootstrap as bootstrap,
    draw_totals as draw_totals,
    hierarchical_bootstrap as hierarchical_bootstrap,
    paired_bootstrap as paired_bootstrap,
)
from aspectlab.stats.tests import (
    SignificanceResult as SignificanceResult,
    cohen_d as cohen_d,
    fisher_exact as fisher_exact,
    holm as holm,
    mcnemar as mcnemar,
    welch as welch,
)
