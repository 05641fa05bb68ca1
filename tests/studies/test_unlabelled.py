"""Reviews without labels: what is drawn, in which style, and what never is."""

import random

from unlabelled import REVIEW_STYLE, SENTENCE_STYLES, Pool, draw

from aspectlab.data import Exclusion

REVIEWS = [
    f"The kettle number {n} boils fast. Its lid, however, never closes well. I would buy it again!"
    for n in range(40)
]


def test_reviews_come_whole_and_others_in_sentences() -> None:
    found = list(draw(Pool("kettles", frozenset(), 5, 9), REVIEWS, Exclusion([]), random.Random(1)))
    whole = [example.text for example in found if example.style == REVIEW_STYLE]
    parts = [example.text for example in found if example.style in SENTENCE_STYLES]
    assert (len(whole), len(parts)) == (5, 9)
    assert set(whole) <= set(REVIEWS)
    drawn_from = {
        part for review in set(REVIEWS) - set(whole) for part in review.replace("!", ".").split(".")
    }
    assert {part.rstrip(".!") for part in parts} <= {part.strip() for part in drawn_from}
    assert len({example.text for example in found}) == 14


def test_text_of_a_test_set_is_not_drawn() -> None:
    leaked = Exclusion(REVIEWS[:39])
    found = list(draw(Pool("kettles", frozenset(), 5, 0), REVIEWS, leaked, random.Random(1)))
    assert [example.text for example in found] == [REVIEWS[39]]
