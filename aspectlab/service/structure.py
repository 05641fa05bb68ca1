"""Structure: how many strings a JSON body has, and what stands between them, counted while the body comes.

A parser makes an object of each, and a check an error of each that is wrong: hundreds of thousands of them
would stop the service for a second. Here they cost what it takes to look at the bytes.
"""

from aspectlab.service.limits import MAX_KEYS, MAX_MARKS, MAX_STRINGS, MAX_TEXTS
from aspectlab.service.problems import Problem

_BLANKS = b" \t\r\n"


class Structure:
    r"""Counts one body.

    >>> structure = Structure()
    >>> structure.add(b'{"texts": ["a \\')
    >>> structure.add(b'" b"]}')
    >>> structure.strings, structure.marks
    (2, 5)
    """

    def __init__(self) -> None:
        self.marks = 0
        """The characters outside strings, but for blanks."""

        self.keys = 0
        """The colons among them: each stands behind a key."""

        self._quotes = 0
        self._rest = b""

    @property
    def strings(self) -> int:
        """The strings that are complete."""
        return self._quotes // 2

    def add(self, piece: bytes) -> None:
        """Count the next part of the body, or refuse it."""
        if b"\0" in piece:
            # JSON in UTF-16, which would be counted wrongly
            raise Problem(400, "invalid_json", "body: a zero byte", "send valid JSON in UTF-8")
        # what an escaped backslash leaves behind it is no escape
        plain = (self._rest + piece).replace(b"\\\\", b"")
        self._rest = b"\\" if plain.endswith(b"\\") else b""
        plain = plain.removesuffix(b"\\").replace(b'\\"', b"")
        is_inside = self._quotes % 2
        self._quotes += plain.count(b'"')
        self._refuse_many()
        for outside in plain.split(b'"')[is_inside::2]:
            self.marks += len(outside.translate(None, _BLANKS))
            self.keys += outside.count(b":")
        self._refuse_many()

    def _refuse_many(self) -> None:
        if self.strings > MAX_STRINGS or self.keys > MAX_KEYS or self.marks > MAX_MARKS:
            found = (
                f"body: more than {MAX_STRINGS:,} strings, {MAX_KEYS} keys, or {MAX_MARKS:,} other characters"
            )
            raise Problem(422, "invalid_request", found, f"send at most {MAX_TEXTS} texts, and nothing else")
