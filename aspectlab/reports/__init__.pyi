from aspectlab.reports.failures import (
    WordDiff as WordDiff,
    diff_words as diff_words,
    render_diff as render_diff,
)
from aspectlab.reports.formatting import (
    POLARITY_SIGNS as POLARITY_SIGNS,
    ShareEstimate as ShareEstimate,
    estimate_positive as estimate_positive,
    estimate_share as estimate_share,
    format_count as format_count,
    format_interval as format_interval,
    format_percent as format_percent,
    format_share as format_share,
    order_by_polarity as order_by_polarity,
)
from aspectlab.reports.html import (
    embed_json as embed_json,
    escape_html as escape_html,
    render_page as render_page,
    render_sections as render_sections,
    truncate_text as truncate_text,
    write_file as write_file,
    write_page as write_page,
)
from aspectlab.reports.style import (
    BASE_STYLE as BASE_STYLE,
    FAILURES_SCRIPT as FAILURES_SCRIPT,
    FAILURES_STYLE as FAILURES_STYLE,
    RUNS_STYLE as RUNS_STYLE,
)
