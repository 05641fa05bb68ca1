"""The waist: characters and quads, gold and prediction in one type."""

from aspectlab.data.cleaning import Change, clean, deduplicate, merge, remove_conflict
from aspectlab.data.corpus import Corpus, Provenance, annotated_parts
from aspectlab.data.edit import edit
from aspectlab.data.example import Example
from aspectlab.data.exclusion import Exclusion
from aspectlab.data.joining import join
from aspectlab.data.leakage import Match, Overlap, leave_out, overlap, refuse_overlap
from aspectlab.data.quad import Part, Polarity, Quad, Span, Term
from aspectlab.data.splitting import Split, apply_split, read_split, split, write_splits

__all__ = [
    "Change",
    "Corpus",
    "Example",
    "Exclusion",
    "Match",
    "Overlap",
    "Part",
    "Polarity",
    "Provenance",
    "Quad",
    "Span",
    "Split",
    "Term",
    "annotated_parts",
    "apply_split",
    "clean",
    "deduplicate",
    "edit",
    "join",
    "leave_out",
    "merge",
    "overlap",
    "read_split",
    "refuse_overlap",
    "remove_conflict",
    "split",
    "write_splits",
]
