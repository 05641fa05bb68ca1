"""ABSITA at EVALITA 2018: aspect categories of Italian hotel reviews and their polarity."""

from aspectlab.campaigns.absita.baselines import apply_baseline, most_frequent
from aspectlab.campaigns.absita.filename import Submission, name_submission, parse_filename
from aspectlab.campaigns.absita.findings import Finding, Severity
from aspectlab.campaigns.absita.ranking import Standing, rank_runs
from aspectlab.campaigns.absita.scoring import RunScore, Tally, score_run
from aspectlab.campaigns.absita.sheet import Sheet, read_sheet
from aspectlab.campaigns.absita.submission import fix_run, write_submission
from aspectlab.campaigns.absita.validating import validate

__all__ = [
    "Finding",
    "RunScore",
    "Severity",
    "Sheet",
    "Standing",
    "Submission",
    "Tally",
    "apply_baseline",
    "fix_run",
    "most_frequent",
    "name_submission",
    "parse_filename",
    "rank_runs",
    "read_sheet",
    "score_run",
    "validate",
    "write_submission",
]
