"""A page as a reader without eyes gets it: headings, labels, tables, and what stands where."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset({"meta", "link", "input", "br", "hr", "img", "path", "rect", "line", "circle"})


@dataclass(slots=True)
class Element:
    """An element with its attributes, its children in order, and its parent."""

    tag: str
    attributes: dict[str, str]
    parent: Element | None = None
    children: list[Element | str] = field(default_factory=list)

    def all(self, *tags: str) -> list[Element]:
        """Return the elements below it with one of these tags (any: all), in order."""
        found = []
        for child in self.children:
            if isinstance(child, Element):
                if not tags or child.tag in tags:
                    found.append(child)
                found += child.all(*tags)
        return found

    @property
    def text(self) -> str:
        """All text below it, its white space made one."""
        parts = [child if isinstance(child, str) else child.text for child in self.children]
        return " ".join(" ".join(parts).split())

    def of_class(self, name: str) -> list[Element]:
        """Return the elements below it that have a class."""
        return [one for one in self.all() if name in one.attributes.get("class", "").split()]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = self.at = Element("", {})

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = Element(tag, {name: value or "" for name, value in attrs}, self.at)
        self.at.children.append(made)
        if tag not in _VOID:
            self.at = made

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.at.children.append(Element(tag, {name: value or "" for name, value in attrs}, self.at))

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        assert self.at.tag == tag, f"</{tag}> closes <{self.at.tag}>"
        assert self.at.parent is not None
        self.at = self.at.parent

    def handle_data(self, data: str) -> None:
        self.at.children.append(data)


def read_page(text: str) -> Element:
    """Return a page's root; fails where an element is closed by another's end."""
    reader = _Reader()
    reader.feed(text)
    assert reader.at is reader.root, f"<{reader.at.tag}> is never closed"
    return reader.root
