"""The tasks of the literature, each by the parts of a quad that it gives and judges."""

from aspectlab.data import Part
from aspectlab.tasks.task import Task

_ASPECT, _CATEGORY = frozenset({Part.ASPECT}), frozenset({Part.CATEGORY})
_OPINION, _POLARITY = frozenset({Part.OPINION}), frozenset({Part.POLARITY})

ATE = Task("ate", "aspect term extraction", _ASPECT)
OTE = Task("ote", "opinion term extraction", _OPINION)
ATSC = Task("atsc", "aspect term sentiment classification", _POLARITY, given=_ASPECT)
E2E = Task("e2e", "aspect terms in the text with their polarity", _ASPECT | _POLARITY, verbatim=True)
# the MuSe-CarASTE paper's aspect-sentiment pairs: annotators also named aspects that do not stand in the text
PAIRS = Task("pairs", "aspects with their polarity, named or verbatim", _ASPECT | _POLARITY)
AOPE = Task("aope", "pairs of aspect and opinion", _ASPECT | _OPINION)
ASTE = Task("aste", "triplets of aspect, opinion and polarity", _ASPECT | _OPINION | _POLARITY)
ACD = Task("acd", "aspect category detection", _CATEGORY)
ACP = Task("acp", "aspect categories with their polarity", _CATEGORY | _POLARITY)
ACSC = Task("acsc", "aspect category sentiment classification", _POLARITY, given=_CATEGORY)
ASQP = Task("asqp", "quads of aspect, category, opinion and polarity", frozenset(Part))
