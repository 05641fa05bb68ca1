"""Describe a corpus in numbers: the tables of the data set papers, each with its rule."""

from aspectlab.data.statistics.challenge import Challenge, count_challenge
from aspectlab.data.statistics.consistency import Consistency, check_consistency
from aspectlab.data.statistics.counting import Counts, count_parts
from aspectlab.data.statistics.description import Statistics, describe
from aspectlab.data.statistics.triplets import TripletProperties, count_triplets
from aspectlab.data.statistics.words import FiveNumbers, summarise

__all__ = [
    "Challenge",
    "Consistency",
    "Counts",
    "FiveNumbers",
    "Statistics",
    "TripletProperties",
    "check_consistency",
    "count_challenge",
    "count_parts",
    "count_triplets",
    "describe",
    "summarise",
]
