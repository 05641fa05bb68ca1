from aspectlab.campaigns.absita.ranking import (
    RunCounts as RunCounts,
    RunScore as RunScore,
    apply_baseline as apply_baseline,
    most_frequent as most_frequent,
    rank_runs as rank_runs,
    score_run as score_run,
)
from aspectlab.campaigns.absita.sheet import (
    RunSheet as RunSheet,
    read_sheet as read_sheet,
)
from aspectlab.campaigns.absita.submission import (
    Submission as Submission,
    fix_run as fix_run,
    name_submission as name_submission,
    parse_filename as parse_filename,
    validate as validate,
    write_submission as write_submission,
)
