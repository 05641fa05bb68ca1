"""Describe a corpus in numbers: the tables of the data set papers, each with its rule."""

from aspectlab.data.statistics.breakdown import Breakdown, Lengths, Tally, break_down, tally_rows
from aspectlab.data.statistics.challenge import Challenge, count_challenge
from aspectlab.data.statistics.consistency import Consistency, check_consistency
from aspectlab.data.statistics.counting import Counts, count_parts
from aspectlab.data.statistics.description import Statistics, describe
from aspectlab.data.statistics.triplets import TripletProperties, count_triplets
from aspectlab.data.statistics.words import FiveNumbers, summarise

__all__ = [
    "Breakdown",
    "Challenge",
    "Consistency",
    "Counts",
    "FiveNumbers",
    "Lengths",
    "Statistics",
    "Tally",
    "TripletProperties",
    "break_down",
    "check_consistency",
    "count_challenge",
    "count_parts",
    "count_triplets",
    "describe",
    "summarise",
    "tally_rows",
]
