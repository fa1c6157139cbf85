"""The marks of list items, as browsers number them."""

from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborNode

from elcano.subjects.documents.office.list_numbers import write_letters, write_number

_BULLET: Final = "- "
_STYLES: Final = {
    "lower-alpha": "a",
    "lower-latin": "a",
    "upper-alpha": "A",
    "upper-latin": "A",
    "lower-roman": "i",
    "upper-roman": "I",
}


@dataclass(slots=True)
class _List:
    number: int = 0
    """The number of the next item."""
    step: int = 0
    """0: its items have no numbers."""
    style: str = "1"


@dataclass(slots=True)
class ListMarks:
    """The open lists of a page."""

    lists: list[_List] = field(default_factory=list)

    def open(self, node: LexborNode, attributes: dict[str, str | None]) -> None:
        """Begin a list."""
        if node.tag != "ol":
            self.lists.append(_List())
            return
        is_reversed = "reversed" in attributes
        start = _parse_number(attributes.get("start"))
        if start is None:
            start = _count_items(node) if is_reversed else 1
        self.lists.append(_List(start, -1 if is_reversed else 1, _find_style(attributes)))

    def close(self) -> None:
        """End the innermost list."""
        if self.lists:
            self.lists.pop()

    def next_mark(self, attributes: dict[str, str | None]) -> str:
        """The mark of the next item of the innermost list."""
        innermost = self.lists[-1] if self.lists else _List()
        if not innermost.step:
            return _BULLET
        value = _parse_number(attributes.get("value"))
        number = innermost.number if value is None else value
        innermost.number = number + innermost.step
        return f"{_write_number(number, innermost.style)}. "


def _count_items(node: LexborNode) -> int:
    count = 0
    child = node.child
    while child is not None:
        count += child.tag == "li"
        child = child.next
    return count


def _find_style(attributes: dict[str, str | None]) -> str:
    kind = attributes.get("type") or ""
    if kind in ("a", "A", "i", "I"):
        return kind
    style = (attributes.get("style") or "").lower()
    return next((mark for name, mark in _STYLES.items() if name in style), "1")


def _parse_number(text: str | None) -> int | None:
    plain = (text or "").strip()
    digits = plain.removeprefix("-")
    return int(plain) if digits.isascii() and digits.isdigit() and len(digits) <= 9 else None


def _write_number(number: int, style: str) -> str:
    if number < 1 or style == "1":
        return str(number)
    written = write_letters(number) if style in ("a", "A") else write_number(number, "upperRoman")
    return written.lower() if style.islower() else written
