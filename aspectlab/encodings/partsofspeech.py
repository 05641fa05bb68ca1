"""The parts of speech, by number.

The numbers are part of every saved model, which holds a vector for each pair: the table must not change.
"""

from __future__ import annotations

NONE, UNKNOWN = 0, 1

# the Penn Treebank with what OntoNotes and spaCy add, then the universal tags of pipelines that have no other
_TAGS = """
    $ '' `` , . : -LRB- -RRB- ADD AFX CC CD DT EX FW HYPH IN JJ JJR JJS LS MD NFP NN NNP NNPS NNS PDT POS PRP
    PRP$ RB RBR RBS RP SYM TO UH VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB XX _SP
    ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ VERB X
"""

_NUMBERS = {tag: number for number, tag in enumerate(_TAGS.split(), start=UNKNOWN + 1)}

N_TAGS = len(_NUMBERS) + UNKNOWN + 1
"""How many numbers there are, those for none and unknown included."""


def tag_number(tag: str) -> int:
    """Give the number of a tag.

    >>> tag_number("NN") != tag_number("NNS")
    True
    >>> tag_number("ADJA") == UNKNOWN
    True
    """
    return _NUMBERS.get(tag, UNKNOWN)
