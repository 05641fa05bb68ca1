"""Limits: how much the service takes on, so that no request and no crowd of them exhausts the machine."""

from dataclasses import dataclass

MAX_TEXTS = 256
"""Texts of one request; part of the documented interface."""

MAX_TEXT_CHARS = 20_000
"""Characters of one text; part of the documented interface."""

MAX_STRINGS = 4 * MAX_TEXTS
"""Strings of a JSON body, keys among them; what is more is not even parsed."""

MAX_KEYS = 32
"""Keys of a JSON body; the interface knows three, and each other one makes an error to write."""

MAX_MARKS = 16 << 10
"""Characters of a JSON body outside strings: brackets, commas, numbers."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What is refused beyond; times are in seconds."""

    header_bytes: int = 16 << 10
    """The address and the headers of a request; a long one takes milliseconds to parse."""

    header_fields: int = 100
    """The headers themselves; a browser sends about twenty."""

    query_bytes: int = 4 << 10
    """What stands behind the question mark of an address."""

    query_keys: int = 12
    """Keys of a query; no path knows more than eight."""

    body_bytes: int = 2 << 20
    """Body of `/v1/analyze`."""

    request_chars: int = 200_000
    """All texts of a request together."""

    buffered_bytes: int = 32 << 20
    """Bodies of all requests together that are held in memory."""

    waiting_chars: int = 1_000_000
    """Texts of all requests together that wait for the model."""

    upload_bytes: int = 32 << 20
    """A file for `/v1/report`; it is written to disk as it comes."""

    uploads: int = 8
    """Such files, if they are as large as they may be, that are on disk at once."""

    unpacked_bytes: int = 64 << 20
    """What a workbook may unpack to: its strings are held in memory."""

    reviews: int = 20_000
    """Reviews of such a file."""

    reports: int = 2
    """Reports that are made at once; no client may have all of several."""

    waiting_reports: int = 16
    """Files that were received and wait for their turn."""

    turn_s: float = 60.0
    """A report must begin after so long."""

    connections: int = 900
    """Clients that are connected at once; most systems let a process open 1,024 files. Beyond, the one that
    has kept the service waiting longest makes room."""

    silence_s: float = 10.0
    """A client may be silent for so long while it sends its request."""

    body_s: float = 60.0
    """A body must be complete after so long."""

    write_s: float = 60.0
    """A client must have taken the answer after so long."""

    analyze_s: float = 30.0
    """Texts must be analysed after so long."""

    report_s: float = 300.0
    """A report must be made after so long."""
