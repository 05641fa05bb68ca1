"""The annotation guidelines: one text, for the docs and for the instructions of a project."""

from __future__ import annotations

from importlib.resources import files


def read_guidelines() -> str:
    """Give the guidelines as Markdown.

    >>> read_guidelines().splitlines()[0]
    '# Annotation guidelines'
    """
    return files("aspectlab.annotation").joinpath("guidelines.md").read_text(encoding="utf-8")


def render_guidelines() -> str:
    """Give the guidelines as HTML, as annotation tools show them.

    >>> render_guidelines().splitlines()[0]
    '<h1>Annotation guidelines</h1>'
    """
    from markdown_it import MarkdownIt

    return str(MarkdownIt().render(read_guidelines()))
