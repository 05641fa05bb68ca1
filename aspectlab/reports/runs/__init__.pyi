from aspectlab.reports.runs.comparison import (
    SystemComparison as SystemComparison,
    comparability_warnings as comparability_warnings,
    compare_systems as compare_systems,
    conclude as conclude,
    state_limits as state_limits,
)
from aspectlab.reports.runs.load import RunResult as RunResult, read_results as read_results
from aspectlab.reports.runs.report import (
    fill_pages as fill_pages,
    gather as gather,
    render_report as render_report,
    write_report as write_report,
)
from aspectlab.reports.runs.render_csv import list_records as list_records
from aspectlab.reports.runs.render_html import render_html_table as render_html_table
from aspectlab.reports.runs.significance import name_metric as name_metric
from aspectlab.reports.runs.summary import (
    RunReport as RunReport,
    Section as Section,
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
