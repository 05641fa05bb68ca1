"""Building a data set: draw a sample, and measure how far annotators agree."""

from aspectlab.annotation.agreement import Agreement, Level, Plan, Worst, measure_agreement
from aspectlab.annotation.findings import Fault, Finding, count_faults
from aspectlab.annotation.panel import Panel, build_panel, read_panel
from aspectlab.annotation.sampling import Stratum, allocate, balance, draw_sample, remove_labels
from aspectlab.annotation.sheets import Sheet, read_sheet
from aspectlab.annotation.similarity import Similarity, load_similarity
from aspectlab.annotation.wording import Wording, choose_wording

__all__ = [
    "Agreement",
    "Fault",
    "Finding",
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
    "measure_agreement",
    "read_panel",
    "read_sheet",
    "remove_labels",
]
