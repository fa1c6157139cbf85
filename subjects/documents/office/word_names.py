"""Names of elements and attributes of WordprocessingML, shortened to `w:p` and the like."""

from collections.abc import Mapping
from typing import Final

from elcano.text.xml_tree import Element

_SCHEMAS: Final = "http://schemas.openxmlformats.org/"
_PREFIXES: Final = {
    f"{_SCHEMAS}wordprocessingml/2006/main": "w",
    f"{_SCHEMAS}officeDocument/2006/math": "m",
    f"{_SCHEMAS}officeDocument/2006/relationships": "r",
    f"{_SCHEMAS}markup-compatibility/2006": "mc",
    f"{_SCHEMAS}drawingml/2006/main": "a",
    f"{_SCHEMAS}drawingml/2006/wordprocessingDrawing": "wp",
    f"{_SCHEMAS}drawingml/2006/chart": "c",
    f"{_SCHEMAS}drawingml/2006/diagram": "dgm",
    "http://schemas.microsoft.com/office/word/2010/wordprocessingShape": "wps",
    "http://schemas.microsoft.com/office/word/2010/wordml": "w14",
    "urn:schemas-microsoft-com:vml": "v",
    "urn:schemas-microsoft-com:office:office": "o",
}
WORD: Final = f"{{{_SCHEMAS}wordprocessingml/2006/main}}"
MATH: Final = f"{{{_SCHEMAS}officeDocument/2006/math}}"
RELATION: Final = f"{{{_SCHEMAS}officeDocument/2006/relationships}}"


class ShortNames(dict[object, str]):
    """Short names of elements by their tags, filled as tags occur; `?:name` in namespaces without a prefix."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        super().__init__()
        self._prefixes = prefixes

    def __missing__(self, tag: object) -> str:
        if not isinstance(tag, str):  # an entity
            return ""
        namespace, _, name = tag.removeprefix("{").rpartition("}")
        short = f"{self._prefixes.get(namespace, '?')}:{name}"
        if len(self) < 10_000:  # made-up names do not fill the memory
            self[tag] = short
        return short


_NAMES: Final = ShortNames(_PREFIXES)


def get_name(element: Element) -> str:
    """The name of an element, such as `w:p`; `?:name` in other namespaces."""
    return _NAMES[element.tag]


def get_value(parent: Element | None, name: str, attribute: str = "val") -> str | None:
    """An attribute of the child `w:name`; None if there is no such child, empty if it has no such attribute."""
    if parent is None:
        return None
    child = parent.find(WORD + name)
    return None if child is None else child.get(WORD + attribute) or ""


def is_on(parent: Element | None, name: str) -> bool | None:
    """Whether the property `w:name` is switched on; None: it is not mentioned."""
    value = get_value(parent, name)
    return None if value is None else value.lower() not in ("0", "false", "off", "none")


def parse_number(text: str | None, default: int = 0) -> int:
    """A whole number of at most nine digits, such as a size or a count."""
    digits = (text or "").strip()
    core = digits.removeprefix("-")
    return int(digits) if core.isascii() and core.isdigit() and len(core) < 10 else default
