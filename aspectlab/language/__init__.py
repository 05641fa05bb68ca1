"""Words, parses and lexicons."""

from aspectlab.language.words import word_spans

__all__ = ["word_spans"]
