from aspectlab.reports.svg.bars import (
    StackedBar as StackedBar,
    draw_legend as draw_legend,
    draw_stacked_bars as draw_stacked_bars,
)
from aspectlab.reports.svg.picture import (
    WIDTH as WIDTH,
    Picture as Picture,
    render_png as render_png,
    unique_names as unique_names,
)
from aspectlab.reports.svg.shapes import (
    AXES_BOTTOM as AXES_BOTTOM,
    Axes as Axes,
    Scale as Scale,
    draw_axes as draw_axes,
    draw_box as draw_box,
    draw_curve as draw_curve,
    draw_diamond as draw_diamond,
    draw_dot as draw_dot,
    draw_line as draw_line,
    draw_marker as draw_marker,
    draw_scale as draw_scale,
    draw_series_legend as draw_series_legend,
    draw_text as draw_text,
    draw_title as draw_title,
    fit_axes as fit_axes,
    fit_label as fit_label,
    fit_scale as fit_scale,
    series_legend_height as series_legend_height,
)
