"""Read a page as a browser would: its tags, attributes and text."""

from html.parser import HTMLParser

VOID = {"meta", "br", "input", "wbr"}


class Tags(HTMLParser):
    """Collect the tags, attributes and texts of a page, and the tags that are not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def parse(page: str) -> Tags:
    """Read a page all of whose tags must be closed in the right order."""
    parser = Tags()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser
