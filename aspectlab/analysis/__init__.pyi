from aspectlab.analysis.aggregate import (
    Aggregate as Aggregate,
    Category as Category,
    PolarityCounts as PolarityCounts,
    aggregate_from_dict as aggregate_from_dict,
    aggregate_to_dict as aggregate_to_dict,
)
from aspectlab.analysis.assembly import (
    CSV as CSV,
    PARQUET as PARQUET,
    categorise as categorise,
    escape_formula as escape_formula,
    group_opinions as group_opinions,
    unescape_formula as unescape_formula,
)
from aspectlab.analysis.assets import SCRIPT as SCRIPT, STYLE as STYLE
from aspectlab.analysis.grouping import OTHER as OTHER
from aspectlab.analysis.opinions import (
    COLUMNS as COLUMNS,
    Cell as Cell,
    Opinion as Opinion,
    Result as Result,
    find_opinions as find_opinions,
)
from aspectlab.analysis.pipeline import (
    REPORT as REPORT,
    Analysis as Analysis,
    Prepared as Prepared,
    Progress as Progress,
    Settings as Settings,
    analyze as analyze,
    prepare as prepare,
)
from aspectlab.analysis.report import write_opinion_report as write_opinion_report
from aspectlab.analysis.workers import (
    BlockEngine as BlockEngine,
    PredictorLoader as PredictorLoader,
    cluster_engine as cluster_engine,
)
