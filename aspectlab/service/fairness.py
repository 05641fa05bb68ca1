"""Fairness: who is next where many wait, and who gets the room that is left."""

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Generic, TypeVar

_IPV6_HOST_BITS = 64
_MOST_REMEMBERED = 1_000

Item = TypeVar("Item")


def name_client(host: str) -> str:
    """Return whom an address belongs to: with IPv6 a single client has a whole network of them.

    >>> name_client("192.0.2.7"), name_client("2001:db8::1") == name_client("2001:db8::2")
    ('192.0.2.7', True)
    """
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        return f"{int(address) >> _IPV6_HOST_BITS:x}::"
    return host


@dataclass(eq=False, slots=True)
class Room:
    """Room that all requests share; what is left is kept for those that need little of it."""

    limit: int
    held: int = 0

    def fits(self, size: int, *, held: int = 0) -> bool:
        """Return whether a request of this size may come in, or grow to it from what it holds.

        One that takes more than half of what is left is refused: the large ones leave room for the small.

        >>> room = Room(100)
        >>> room.fits(90), room.fits(101)
        (True, False)
        >>> room.held = 50
        >>> room.fits(25), room.fits(26)
        (True, False)
        """
        free = self.limit - self.held + held
        return size <= free and (self.held == held or 2 * size <= free)


@dataclass(frozen=True, slots=True)
class _Place:
    client: str
    size: int
    arrived: float


class FairLine(Generic[Item]):
    """A line in which the next is whoever will have had the least with this turn.

    Clients share what there is; of one client's turns the smallest comes first. The clock counts what was
    served, divided among those who waited, so that whoever waits long enough comes before the latecomers.

    >>> line = FairLine[str]()
    >>> for item, client, size in [("a1", "a", 9), ("a2", "a", 9), ("a3", "a", 1), ("b1", "b", 9)]:
    ...     line.add(item, client, size)
    >>> [line.pop() for _ in range(4)]
    ['a3', 'b1', 'a1', 'a2']
    """

    def __init__(self) -> None:
        self._places: dict[Item, _Place] = {}
        self._had: dict[str, float] = {}
        self._clock = 0.0

    def __len__(self) -> int:
        return len(self._places)

    def add(self, item: Item, client: str, size: int) -> None:
        """Queue something at its place in the line."""
        self._places[item] = _Place(client, size, self._clock)

    def remove(self, item: Item) -> None:
        """Take something out of the line, if it is still there."""
        self._places.pop(item, None)

    def peek(self, is_allowed: Callable[[str], bool] = lambda client: True) -> Item | None:
        """Return what is next, of the clients that may have a turn."""
        allowed = (item for item, place in self._places.items() if is_allowed(place.client))
        return min(allowed, key=lambda item: self._rank(self._places[item]), default=None)

    def pop(self, is_allowed: Callable[[str], bool] = lambda client: True) -> Item | None:
        """Take what is next out of the line, and count it as served."""
        item = self.peek(is_allowed)
        if item is None:
            return None
        waited = len(self._places)
        place = self._places.pop(item)
        self._had[place.client] = self._rank(place)
        self._clock += place.size / waited
        if len(self._had) > _MOST_REMEMBERED:
            # who had no more than the clock says is like one who never came
            self._had = {client: had for client, had in self._had.items() if had > self._clock}
        return item

    def _rank(self, place: _Place) -> float:
        return max(self._had.get(place.client, 0.0), place.arrived) + place.size
