from aspectlab.campaigns.evaluation import (
    RankedRun as RankedRun,
    RunFinding as RunFinding,
    Severity as Severity,
)
