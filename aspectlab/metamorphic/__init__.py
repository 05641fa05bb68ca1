"""Metamorphic tests: follow-ups whose expected output is known, and how often a model violates it."""

from aspectlab.metamorphic.answers import Answer, Fault, Predict
from aspectlab.metamorphic.cases import Case, group_cases, is_followup
from aspectlab.metamorphic.generating import generate
from aspectlab.metamorphic.judging import Failure
from aspectlab.metamorphic.masking import mask_by
from aspectlab.metamorphic.predictions import read_answers
from aspectlab.metamorphic.rates import ELEMENTS, summarise
from aspectlab.metamorphic.relations import RELATIONS
from aspectlab.metamorphic.tallies import Findings, Tally, Verdict
from aspectlab.metamorphic.testing import TESTED, measure_violations

__all__ = [
    "ELEMENTS",
    "RELATIONS",
    "TESTED",
    "Answer",
    "Case",
    "Failure",
    "Fault",
    "Findings",
    "Predict",
    "Tally",
    "Verdict",
    "generate",
    "group_cases",
    "is_followup",
    "mask_by",
    "measure_violations",
    "read_answers",
    "summarise",
]
