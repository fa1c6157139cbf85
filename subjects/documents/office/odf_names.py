"""Names of elements and attributes of OpenDocument, shortened to `text:p` and the like."""

from typing import Final

from elcano.subjects.documents.office.word_names import ShortNames
from elcano.text.xml_tree import Element

_OASIS: Final = "urn:oasis:names:tc:opendocument:xmlns:"
_URIS: Final = {
    **{
        name: f"{_OASIS}{name}:1.0"
        for name in ("office", "text", "table", "style", "chart", "form", "meta", "manifest", "presentation")
    },
    "draw": f"{_OASIS}drawing:1.0",
    "svg": f"{_OASIS}svg-compatible:1.0",
    "fo": f"{_OASIS}xsl-fo-compatible:1.0",
    "number": f"{_OASIS}datastyle:1.0",
    "xlink": "http://www.w3.org/1999/xlink",
    "math": "http://www.w3.org/1998/Math/MathML",
    "dc": "http://purl.org/dc/elements/1.1/",
    "xml": "http://www.w3.org/XML/1998/namespace",
}
_NAMES: Final = ShortNames({uri: prefix for prefix, uri in _URIS.items()})


def get_odf_name(element: Element) -> str:
    """The name of an element, such as `text:p`."""
    return _NAMES[element.tag]


def make_odf_name(name: str) -> str:
    """The full name of `text:p`, as lxml writes it."""
    prefix, _, local = name.partition(":")
    return f"{{{_URIS[prefix]}}}{local}"


def get_odf_value(element: Element | None, name: str) -> str:
    """An attribute such as `text:style-name`; empty if there is none."""
    return "" if element is None else element.get(make_odf_name(name)) or ""
