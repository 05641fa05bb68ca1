from aspectlab.reports.runs.changes import (
    MeanChange as MeanChange,
    find_bases as find_bases,
    find_originals as find_originals,
    measure_shift as measure_shift,
    measure_variant as measure_variant,
)
from aspectlab.reports.runs.comparison import (
    PredictionComparison as PredictionComparison,
    SystemComparison as SystemComparison,
    comparability_warnings as comparability_warnings,
    compare_predictions as compare_predictions,
    compare_systems as compare_systems,
    conclude as conclude,
    state_limits as state_limits,
)
from aspectlab.reports.runs.cross_figures import list_joint_figures as list_joint_figures
from aspectlab.reports.runs.figures import list_section_figures as list_section_figures
from aspectlab.reports.runs.load import RunResult as RunResult, read_results as read_results
from aspectlab.reports.runs.published import Gap as Gap
from aspectlab.reports.runs.render_csv import list_records as list_records
from aspectlab.reports.runs.render_html import render_html_table as render_html_table
from aspectlab.reports.runs.report import (
    fill_pages as fill_pages,
    gather as gather,
    render_report as render_report,
    write_report as write_report,
)
from aspectlab.reports.runs.significance import (
    RunValues as RunValues,
    Significance as Significance,
    mark_best as mark_best,
    name_metric as name_metric,
)
from aspectlab.reports.runs.summary import (
    Cell as Cell,
    RunReport as RunReport,
    Section as Section,
    System as System,
    find_system as find_system,
    select_metric as select_metric,
    summarise as summarise,
)
from aspectlab.reports.runs.table import (
    NOTHING as NOTHING,
    Entry as Entry,
    ReportTable as ReportTable,
    format_difference as format_difference,
    format_number as format_number,
    make_slug as make_slug,
)
from aspectlab.reports.runs.tables import (
    build_cross_tables as build_cross_tables,
    build_tables as build_tables,
    list_tables as list_tables,
    sign_section as sign_section,
)
