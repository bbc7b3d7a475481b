"""A parser for HTML pages that tests inspect."""

from __future__ import annotations

import re
from html.parser import HTMLParser

VOID = {"meta", "link", "img", "br", "input"}
ALLOWED_ATTRIBUTES = re.compile(r"(?!on|style$|src$|srcset$|action$|formaction$)")


class Page(HTMLParser):
    """The elements of a page with their attributes, and the text by kind of element."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: dict[str, list[str]] = {}
        self.scripts: dict[str, str] = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        tag = self.open[-1] if self.open else ""
        self.text.setdefault(tag, []).append(data)
        if tag == "script":
            self.scripts[str(self.elements[-1][1].get("id", ""))] = data


def assert_harmless(page: Page) -> None:
    """Check that the page contains only elements and attributes of a report, so that nothing is loaded or run."""
    assert page.open == []
    assert not {"img", "link", "iframe", "object", "embed", "base", "form"} & {tag for tag, _ in page.elements}
    for tag, attributes in page.elements:
        assert all(ALLOWED_ATTRIBUTES.match(name) for name in attributes), (tag, attributes)
        assert (attributes.get("href") or "#").startswith("#")
