"""HTML pages that need nothing beside them: frame, styles, escaping, and a lock on the network."""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from html import escape
from pathlib import Path

from aspectlab.errors import DataError
from aspectlab.outputs import atomic_write

# controls except tab and line feed, halves of surrogate pairs, and what Unicode calls no character
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_ELLIPSIS = "…"

ASSETS = Path(__file__).with_name("assets")
"""Styles and scripts of reports."""

BASE_STYLE = ASSETS / "base.css"
PICTURE_STYLES = (ASSETS / "colours.css", ASSETS / "picture.css")
"""What a page that holds pictures must carry."""

TABLE_STYLES = (BASE_STYLE, *PICTURE_STYLES, ASSETS / "tables.css")
"""What a page of tables and pictures must carry."""


def escape_html(text: str, limit: int | None = None) -> str:
    r"""Escape a text for HTML, in an element or a quoted attribute; a longer one is cut.

    >>> escape_html('a <b> & "c"\0')
    'a &lt;b&gt; &amp; &quot;c&quot;\ufffd'
    >>> escape_html("far too long", limit=8)
    'far too…'
    """
    return escape(replace_unprintable(truncate_text(text, limit)))


def replace_unprintable(text: str) -> str:
    r"""Replace each character that a page cannot show; the text stays as long as it is.

    >>> replace_unprintable("a\0b")
    'a\ufffdb'
    """
    return _UNPRINTABLE.sub("\ufffd", text)


def truncate_text(text: str, limit: int | None) -> str:
    """Cut a text to so many characters, with a mark where something is missing."""
    return text if limit is None or len(text) <= limit else text[: limit - 1].rstrip() + _ELLIPSIS


def embed_json(name: str, payload: object) -> str:
    r"""Return a value for the script of a page, in an element that does not run and cannot be closed early.

    >>> embed_json("figures", {"a": "</script>"})
    '<script type="application/json" id="figures">{"a":"\\u003c/script>"}</script>'
    """
    text = json.dumps(payload, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'


def load_assets(*files: Path) -> str:
    """Return the text of styles or scripts, one after another, as a page carries them."""
    return "\n" + "".join(path.read_text(encoding="utf-8") for path in files)


def render_page(title: str, body: str, *, style: str, script: str, images: str = "") -> str:
    """Return a page around a body, which must be escaped; it runs this script and loads nothing.

    `images` is where the script may take pictures from: `data:` are those that it made itself.
    """
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, script, images)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape_html(title)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n{body}\n<script>{script}</script>\n</body>\n</html>\n"
    )


def render_sections(parts: Sequence[tuple[str, str, str]]) -> tuple[str, str]:
    """Return the links and the sections of a page from the name, heading and body of each, all escaped.

    >>> render_sections([("counts", "Counts", "<p>3</p>")])[0]
    '<a href="#counts">Counts</a>'
    """
    links = " ".join(f'<a href="#{name}">{heading}</a>' for name, heading, _ in parts)
    sections = "\n".join(
        f'<section id="{name}">\n<h2>{heading}</h2>\n{body}\n</section>' for name, heading, body in parts
    )
    return links, sections


def write_page(path: Path, page: str) -> None:
    """Write a page to a file, whole or not at all."""
    with atomic_write(path) as draft:
        # half a surrogate pair has no UTF-8 form; as a reference it shows as the replacement character
        draft.write_bytes(page.encode("utf-8", "xmlcharrefreplace"))


def _policy(style: str, script: str, images: str = "") -> str:
    """Allow our style and script and nothing else: should an escape be missing, nothing runs or loads."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        f"{f'img-src {images}; ' if images else ''}"
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def write_file(path: Path, content: bytes) -> Path:
    """Write a file, whole or not at all, and the folders above it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as draft:
            draft.write_bytes(content)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}; check the folder") from None
    return path
