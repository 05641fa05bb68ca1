"""Between text and arrays: encode, collate, decode; numpy in, numpy out."""

from aspectlab.encodings.batch import Batch, Item
from aspectlab.encodings.encoding import Encoding
from aspectlab.encodings.graph import GraphBatch, GraphEncoding, GraphItem
from aspectlab.encodings.pair import PairBatch, PairEncoding, PairItem
from aspectlab.encodings.vocabulary import Subwords, Tokens, Vocabulary, WordList

__all__ = [
    "Batch",
    "Encoding",
    "GraphBatch",
    "GraphEncoding",
    "GraphItem",
    "Item",
    "PairBatch",
    "PairEncoding",
    "PairItem",
    "Subwords",
    "Tokens",
    "Vocabulary",
    "WordList",
]
