"""Pages for people; they read results and never run a model."""

from aspectlab.reports.failures import render_failures, write_failures
from aspectlab.reports.opinions import render_opinion_report, write_opinion_report

__all__ = ["render_failures", "render_opinion_report", "write_failures", "write_opinion_report"]
