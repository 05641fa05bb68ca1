from aspectlab.stats.calibration import (
    CalibrationReport as CalibrationReport,
    CoveragePoint as CoveragePoint,
    ReliabilityBin as ReliabilityBin,
    calibration_report as calibration_report,
    coverage_curve as coverage_curve,
    expected_calibration_error as expected_calibration_error,
    reliability_table as reliability_table,
)
from aspectlab.stats.calibrators import (
    Isotonic as Isotonic,
    Platt as Platt,
    Temperature as Temperature,
    calibrator_from_dict as calibrator_from_dict,
    calibrator_to_dict as calibrator_to_dict,
    fit_isotonic as fit_isotonic,
    fit_platt as fit_platt,
    fit_temperature as fit_temperature,
    log_odds as log_odds,
)
from aspectlab.stats.decomposition import (
    Decomposition as Decomposition,
    RunComparison as RunComparison,
    StandardError as StandardError,
    compare_runs as compare_runs,
    decompose as decompose,
    decompose_summary as decompose_summary,
    gap_interval as gap_interval,
    standard_error as standard_error,
)
from aspectlab.stats.distributions import t_quantile as t_quantile, t_tail as t_tail
from aspectlab.stats.prediction_powered import (
    CorrectedShare as CorrectedShare,
    JudgedSample as JudgedSample,
    corrected_share as corrected_share,
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
    robust_regression as robust_regression,
    welch as welch,
)
