from aspectlab.campaigns.findings import RunFinding as RunFinding, Severity as Severity
from aspectlab.campaigns.standings import RankedRun as RankedRun
