"""Characters: what belongs to a word, and which scripts write words without spaces."""

import unicodedata

_UNSPACED = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF))
"""Thai and Lao, Burmese, Khmer; Chinese, Japanese and Korean letters are told by their width."""


def is_of_word(char: str) -> bool:
    """Return whether a character is a letter, a digit, or a mark, such as a vowel sign of Hindi.

    >>> is_of_word("a"), is_of_word("\u0301"), is_of_word("-"), is_of_word("")
    (True, True, False, False)
    """
    return char.isalnum() or is_mark(char)


def is_mark(char: str) -> bool:
    """Return whether a character belongs to the letter before it.

    >>> is_mark("\u0301"), is_mark("e")
    (True, False)
    """
    return char != "" and unicodedata.category(char)[0] == "M"


def is_unspaced(char: str) -> bool:
    """Return whether a character is of a script whose words need no space between them.

    >>> is_unspaced("\u670d"), is_unspaced("\u0e01"), is_unspaced("a")
    (True, True, False)
    """
    if unicodedata.east_asian_width(char) in "WF":
        return True
    return any(first <= ord(char) <= last for first, last in _UNSPACED)
