"""Metrics: what the service did, for Prometheus."""

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics
from prometheus_client.exposition import generate_latest

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Upper bounds of the buckets of the latency histogram."""

_METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"})
OTHER = "other"
"""Stands for paths and methods that are not ours, so that a scan of the service makes no new series."""


class Metrics:
    """Counts of one service; their number does not grow with the requests."""

    def __init__(self) -> None:
        disable_created_metrics()  # else each series has a second one: when it began
        # one of its own: what libraries count of the process is none of ours
        self._registry = registry = CollectorRegistry()
        self._requests = Counter(
            "aspectlab_requests", "Requests answered.", ["method", "path", "status"], registry=registry
        )
        self._seconds = Histogram(
            "aspectlab_request_seconds",
            "Time from request to answer.",
            ["path"],
            buckets=BOUNDS_S,
            registry=registry,
        )
        self._done = {
            name: Counter(f"aspectlab_{name}", f"Number of {name} so far.", registry=registry)
            for name in ("texts", "sentences", "opinions", "reports")
        }
        self._now = {
            name: Gauge(f"aspectlab_{name}", f"{name.replace('_', ' ').capitalize()} now.", registry=registry)
            for name in ("requests_in_flight", "waiting_characters", "reports_in_flight")
        }
        self.in_flight = self._now["requests_in_flight"]

    def record(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self._requests.labels(method if method in _METHODS else OTHER, path, status).inc()
        self._seconds.labels(path).observe(seconds)

    def add(self, **numbers: int) -> None:
        """Count texts, sentences, opinions or reports."""
        for name, number in numbers.items():
            self._done[name].inc(number)

    def render(self, gauges: Mapping[str, int]) -> bytes:
        """Write all metrics; `gauges` are values that others hold."""
        for name, value in gauges.items():
            self._now[name].set(value)
        return generate_latest(self._registry)
