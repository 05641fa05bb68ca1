from aspectlab.reports.svg.picture import (
    WIDTH as WIDTH,
    Picture as Picture,
    render_png as render_png,
    unique_names as unique_names,
)
from aspectlab.reports.svg.shapes import (
    Scale as Scale,
    draw_box as draw_box,
    draw_diamond as draw_diamond,
    draw_dot as draw_dot,
    draw_line as draw_line,
    draw_scale as draw_scale,
    draw_text as draw_text,
    fit_label as fit_label,
    fit_scale as fit_scale,
)
