"""Progress: the one form in which long work reports how far it is."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

Detail = TypeVar("Detail")
Detail_co = TypeVar("Detail_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Progress(Generic[Detail_co]):
    """How far some work is, the words to show for it, and what only this kind of work knows.

    Training tells in `detail` which epoch has just ended, an analysis what it has counted.
    """

    share: float  # done of the whole, from 0 to 1
    text: str
    detail: Detail_co


ProgressCallback = Callable[[Progress[Detail]], None]
"""What a caller gives to work that takes long: it is called again and again until the work is done."""


def throttle(callback: ProgressCallback[Detail], seconds: float) -> ProgressCallback[Detail]:
    """Pass on the first report, and then at most one in so many seconds.

    >>> seen = []
    >>> report = throttle(lambda progress: seen.append(progress.share), 3600)
    >>> report(Progress(0.0, "starting", None))
    >>> report(Progress(0.1, "reading", None))
    >>> seen
    [0.0]
    """
    last = -math.inf

    def report(progress: Progress[Detail]) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= seconds:
            last = now
            callback(progress)

    return report
