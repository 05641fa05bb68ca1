"""Pages for people; they read results and never run a model."""

from aspectlab.reports.failures import render_failures, write_failures

__all__ = ["render_failures", "write_failures"]
