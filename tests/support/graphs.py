"""Knowledge graphs, written by hand or made in any size, and hostile ones."""

from aspectlab.data import Polarity
from aspectlab.graph.model import KnowledgeGraph, Statement, build_entity

GOOD, BAD, NEUTRAL = Polarity.POSITIVE, Polarity.NEGATIVE, Polarity.NEUTRAL

# of the coupe: a seat +2 −1 in two topics, a boot −2, an engine +1
COUPE = [
    Statement("coupe", "comfort", "back seat", "soft", GOOD),
    Statement("coupe", "comfort", "back seat", "soft", GOOD),
    Statement("coupe", "interior", "back seat", "soft", BAD),
    Statement("coupe", "interior", "boot", "tiny", BAD),
    Statement("coupe", "interior", "boot", "tiny", BAD),
    Statement("coupe", "performance", "engine", "willing", GOOD),
]
ESTATE = [
    Statement("estate", "comfort", "Backseats", "hard", BAD),
    Statement("estate", "interior", "boot", "huge", GOOD),
    Statement("estate", "cost", "price", "fair", GOOD),
]

HOSTILE = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>\0\u202e\ud83d</style>]]>"
STRANGE = [HOSTILE, "שלום עולם", "مقعد خلفي", "座席" * 30, "w" * 4000, "W" * 60, " \t\n", "a/b&c", "{{7*7}}"]


def make_entity_graph(statements: list[Statement], *, merge: bool = False) -> KnowledgeGraph:
    """Build the graph of the entities in the order in which they are met."""
    names = dict.fromkeys(statement.entity for statement in statements)
    entities = tuple(
        build_entity(name, [each for each in statements if each.entity == name], merge=merge)
        for name in names
    )
    return KnowledgeGraph(" and ".join(names), entities)


def make_statements(entity: str, aspects: int, topics: int = 6) -> list[Statement]:
    """Make statements on so many aspects: the first ones are spoken of most, each by several opinions."""
    made = []
    for number in range(aspects):
        for k in range(1 + 40 // (number + 1)):
            polarity = BAD if (number + k) % 3 == 0 else GOOD
            aspect = f"part {number} of the dashboard" if number % 4 == 0 else f"part {number}"
            topic = f"topic {(number + (k == 2)) % topics}"
            made.append(Statement(entity, topic, aspect, f"rather remarkable in way {k % 9}", polarity))
    return made


def strange_statements(entity: str) -> list[Statement]:
    """Make statements in which every string that comes from outside is strange."""
    return [
        Statement(entity, topic, aspect, opinion, polarity)
        for topic in STRANGE[:2]
        for aspect in STRANGE
        for opinion in (HOSTILE, STRANGE[4], "")
        for polarity in (GOOD, BAD, NEUTRAL)
    ]
