"""Metrics: what the service did, in the text format that Prometheus reads."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Upper bounds of the buckets of the latency histogram."""

_METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"})
OTHER = "other"
"""Stands for paths and methods that are not ours, so that a scan of the service makes no new series."""


@dataclass(eq=False, slots=True)
class _Histogram:
    counts: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))
    total: float = 0.0


@dataclass(eq=False, slots=True)
class Metrics:
    """Counts of the event loop's thread; their number does not grow with the requests."""

    in_flight: int = 0
    texts: int = 0
    sentences: int = 0
    opinions: int = 0
    reports: int = 0
    _requests: Counter[tuple[str, str, int]] = field(default_factory=Counter)
    _latency: dict[str, _Histogram] = field(default_factory=dict)

    def record(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self._requests[method if method in _METHODS else OTHER, path, status] += 1
        histogram = self._latency.setdefault(path, _Histogram())
        histogram.counts[bisect_left(BOUNDS_S, seconds)] += 1
        histogram.total += seconds

    def render(self, gauges: Mapping[str, int]) -> str:
        """Write all metrics; `gauges` are values that others hold."""
        return "".join(f"{line}\n" for line in self._lines(gauges))

    def _lines(self, gauges: Mapping[str, int]) -> Iterator[str]:
        yield from _describe("requests_total", "counter", "Requests answered.")
        for (method, path, status), number in sorted(self._requests.items()):
            labels = f'method="{escape_label(method)}",path="{escape_label(path)}",status="{status}"'
            yield f"aspectlab_requests_total{{{labels}}} {number}"
        yield from _describe("request_seconds", "histogram", "Time from request to answer.")
        for path, histogram in sorted(self._latency.items()):
            yield from _render_histogram(f'path="{escape_label(path)}"', histogram)
        for name in ("texts", "sentences", "opinions", "reports"):
            yield from _describe(f"{name}_total", "counter", f"Number of {name} so far.")
            yield f"aspectlab_{name}_total {getattr(self, name)}"
        for name, value in {"requests_in_flight": self.in_flight, **gauges}.items():
            yield from _describe(name, "gauge", f"{name.replace('_', ' ').capitalize()} now.")
            yield f"aspectlab_{name} {value}"


def escape_label(value: str) -> str:
    r"""Escape what would end the value of a label.

    >>> print(escape_label('a"b\\c'))
    a\"b\\c
    """
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _describe(name: str, kind: str, meaning: str) -> Iterator[str]:
    yield f"# HELP aspectlab_{name} {meaning}"
    yield f"# TYPE aspectlab_{name} {kind}"


def _render_histogram(labels: str, histogram: _Histogram) -> Iterator[str]:
    bounds = (*map(str, BOUNDS_S), "+Inf")
    counts = list(accumulate(histogram.counts))
    for bound, count in zip(bounds, counts, strict=True):
        yield f'aspectlab_request_seconds_bucket{{{labels},le="{bound}"}} {count}'
    yield f"aspectlab_request_seconds_sum{{{labels}}} {histogram.total:.6f}"
    yield f"aspectlab_request_seconds_count{{{labels}}} {counts[-1]}"
