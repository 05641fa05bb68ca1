"""Raster: a picture as PNG, where a package that draws SVG is installed."""

from __future__ import annotations

from aspectlab.errors import MissingPartError

_ZOOM = 2
"""Twice the size in pixels, for screens and print of today."""


def rasterise(svg: str) -> bytes:
    """Draw an SVG as PNG with resvg; the default install does without it."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise MissingPartError(
            "--format png: resvg-py is not installed: get it with: pip install 'aspectlab[png]'; or use svg"
        ) from None
    return bytes(svg_to_bytes(svg_string=svg, zoom=_ZOOM))
