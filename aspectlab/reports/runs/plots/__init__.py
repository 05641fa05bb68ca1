"""Pictures of results as SVG, drawn without any plotting package."""

from aspectlab.reports.runs.plots.picture import Picture

__all__ = ["Picture"]
