from aspectlab.reports.failures import (
    WordDiff as WordDiff,
    diff_words as diff_words,
    render_diff as render_diff,
    render_failures_page as render_failures_page,
    render_filter as render_filter,
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
    ASSETS as ASSETS,
    BASE_STYLE as BASE_STYLE,
    PICTURE_STYLES as PICTURE_STYLES,
    TABLE_STYLES as TABLE_STYLES,
    embed_json as embed_json,
    escape_html as escape_html,
    load_assets as load_assets,
    render_page as render_page,
    render_sections as render_sections,
    truncate_text as truncate_text,
    write_file as write_file,
    write_page as write_page,
)
