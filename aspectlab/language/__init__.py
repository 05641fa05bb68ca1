"""Words, parses and lexicons."""

from aspectlab.language.cache import TextTable, cache_folder
from aspectlab.language.parsing import Parse, Parser, load_parser
from aspectlab.language.words import Place, word_places, word_spans

__all__ = [
    "Parse",
    "Parser",
    "Place",
    "TextTable",
    "cache_folder",
    "load_parser",
    "word_places",
    "word_spans",
]
