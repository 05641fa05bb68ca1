"""Building a data set: draw a sample, prelabel it, exchange it with annotation tools, measure agreement."""

from aspectlab.annotation.agreement import Agreement, Level, Plan, Worst, measure_agreement
from aspectlab.annotation.findings import Fault, Finding, count_faults
from aspectlab.annotation.guidelines import read_guidelines, render_guidelines
from aspectlab.annotation.handed import Handed, read_handed
from aspectlab.annotation.panel import Panel, build_panel, read_panel
from aspectlab.annotation.prelabel import prelabel
from aspectlab.annotation.projects import make_config, write_label_studio
from aspectlab.annotation.sampling import Stratum, allocate, balance, draw_sample, remove_labels
from aspectlab.annotation.sheets import Sheet, read_sheet
from aspectlab.annotation.similarity import Similarity, load_similarity
from aspectlab.annotation.wording import Wording, choose_wording

__all__ = [
    "Agreement",
    "Fault",
    "Finding",
    "Handed",
    "Level",
    "Panel",
    "Plan",
    "Sheet",
    "Similarity",
    "Stratum",
    "Wording",
    "Worst",
    "allocate",
    "balance",
    "build_panel",
    "choose_wording",
    "count_faults",
    "draw_sample",
    "load_similarity",
    "make_config",
    "measure_agreement",
    "prelabel",
    "read_guidelines",
    "read_handed",
    "read_panel",
    "read_sheet",
    "remove_labels",
    "render_guidelines",
    "write_label_studio",
]
