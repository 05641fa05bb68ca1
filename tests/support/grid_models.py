"""One sentence with one triplet, for the models over tables of word pairs."""

from aspectlab.data import Example, Polarity, Quad, Span, Term

_BREAD, _GOOD = Term("fresh bread", Span(4, 15)), Term("very good", Span(23, 32))

# "fresh bread" are words 1 and 2, "very good" words 5 and 6
GIVEN = Example("1", "our fresh bread was so very good", (Quad(_BREAD, None, _GOOD, Polarity.POSITIVE),))
WORDS = 7
