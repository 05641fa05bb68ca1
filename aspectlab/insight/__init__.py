"""From reviews to what they praise and blame: reading, sentences, opinions, categories, the aggregate."""

from aspectlab.insight.aggregate import Aggregate, aggregate_from_dict, aggregate_to_dict
from aspectlab.insight.analysis import Prepared, Settings, analyze, prepare
from aspectlab.insight.opinions import COLUMNS, Opinion, Result
from aspectlab.insight.predictor import Predictor
from aspectlab.insight.reviews import Reading, Review, open_reviews
from aspectlab.insight.sentences import split_sentences
from aspectlab.insight.texts import Results, analyze_texts

__all__ = [
    "COLUMNS",
    "Aggregate",
    "Opinion",
    "Predictor",
    "Prepared",
    "Reading",
    "Result",
    "Results",
    "Review",
    "Settings",
    "aggregate_from_dict",
    "aggregate_to_dict",
    "analyze",
    "analyze_texts",
    "open_reviews",
    "prepare",
    "split_sentences",
]
