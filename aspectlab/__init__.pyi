from aspectlab.analyzer import Analyzer as Analyzer
from aspectlab.data import (
    Corpus as Corpus,
    Example as Example,
    Part as Part,
    Polarity as Polarity,
    Quad as Quad,
    Span as Span,
    Term as Term,
    edit as edit,
)
from aspectlab.readers import read as read, write as write

__version__: str
