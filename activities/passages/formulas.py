"""Formulas, exponents and indices of a page as text, written into its tree before anything reads it.

A formula is its TeX where the page has that (KaTeX, MediaWiki, annotated MathML), else its MathML on one line. What is
raised or lowered is written as `text.exponents` says. Innermost elements come first, and none is read further than an
exponent may be long, so that nesting costs nothing.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from selectolax.lexbor import LexborNode

from elcano.activities.text.words import LONGEST, lower_text, raise_text

MOST_CHARACTERS: Final = 2_000
"""Maximum length of a formula; a longer one is left out."""
_STYLED: Final = re.compile(r"\{\\(?:display|text)style\s*(.*)\}", re.DOTALL)
_WRITERS: Final[Mapping[str, Sequence[Callable[[str], str] | None]]] = {
    "msup": (None, raise_text),
    "msub": (None, lower_text),
    "msubsup": (None, lower_text, raise_text),
}
"""By element of MathML: how each of its children is written; None: as it is."""


def write_exponents(root: LexborNode) -> None:
    """Writes superscripts and subscripts below `root` as text: in HTML, JATS and MathML, with or without prefixes."""
    scripts = [node for node in root.traverse() if _strip_tag_prefix(node) in ("sup", "sub", "mfrac", *_WRITERS)]
    for node in reversed(scripts):
        name = _strip_tag_prefix(node)
        if name == "sup":
            _replace_node(node, raise_text)
        elif name == "sub":
            _replace_node(node, lower_text)
        elif name == "mfrac":
            _write_fraction(node)
        else:
            for child, write in zip(_list_child_elements(node), _WRITERS[name], strict=False):
                if write is not None:
                    _replace_node(child, write)


def write_formulas(root: LexborNode) -> None:
    """Writes each formula below `root` as text, and superscripts and subscripts elsewhere."""
    for node in _outermost_formulas(root):
        if formula := _extract_tex(node):
            node.replace_with(formula)
    write_exponents(root)
    for node in _outermost_formulas(root):
        if _strip_tag_prefix(node) == "math":
            node.replace_with(_read_bounded_text(node, MOST_CHARACTERS, strip=True) or "")


def _outermost_formulas(root: LexborNode) -> list[LexborNode]:
    """The formulas below `root` that are in no other one.

    MediaWiki hides the MathML of a formula from browsers and its picture from screen readers, so both are one formula.
    """
    found: list[LexborNode] = []
    node = root.child
    while node is not None:
        is_formula = node.is_element_node and (
            node.tag == "math" or (node.tag == "span" and "mwe-math-element" in (node.attributes.get("class") or ""))
        )
        if is_formula:
            found.append(node)
        if node.child is not None and not is_formula:
            node = node.child
            continue
        while node is not None and node.next is None:
            node = node.parent if node.parent is not None and node.parent.mem_id != root.mem_id else None
        node = node.next if node is not None else None
    return found


def _extract_tex(node: LexborNode) -> str:
    """The TeX that a formula comes with; empty if it has none, or too much."""
    tex = node.attributes.get("alttext") or ""
    annotation = node.css_first("annotation[encoding='application/x-tex']")
    described = node.css_first("[alttext], img[alt]")
    if annotation is not None:
        tex = annotation.text()
    elif described is not None and not tex:
        tex = described.attributes.get("alttext") or described.attributes.get("alt") or ""
    plain = " ".join(tex.split())
    styled = _STYLED.fullmatch(plain)
    plain = styled[1].strip() if styled else plain
    return plain if len(plain) <= MOST_CHARACTERS else ""


def _write_fraction(node: LexborNode) -> None:
    parts = [_read_bounded_text(child, LONGEST, strip=True) for child in _list_child_elements(node)]
    if len(parts) == 2 and all(parts):
        over, under = (part if part and part.isalnum() else f"({part})" for part in parts)
        node.replace_with(f"({over}/{under})")


def _replace_node(node: LexborNode, write: Callable[[str], str]) -> None:
    text = _read_bounded_text(node, LONGEST, strip=_strip_tag_prefix(node) not in ("sup", "sub"))
    if text is not None and text.strip():
        node.replace_with(write(text))


def _list_child_elements(node: LexborNode) -> list[LexborNode]:
    """The elements right below it, the first three of them."""
    found: list[LexborNode] = []
    child = node.child
    while child is not None and len(found) < 3:
        if child.is_element_node or not child.is_empty_text_node:
            found.append(child)
        child = child.next
    return found


def _read_bounded_text(node: LexborNode, most: int, *, strip: bool) -> str | None:
    """The text in it; None if it is longer than `most`, or the tree below it larger."""
    parts: list[str] = []
    length = 0
    for count, one in enumerate(node.traverse(include_text=True)):
        if one.is_text_node:
            text = one.text_content or ""
            parts.append(text.strip() if strip else text)
            length += len(parts[-1])
        if length > most or count > most:
            return None
    return "".join(parts)


def _strip_tag_prefix(node: LexborNode) -> str:
    """The name of an element without its prefix, as `mml:`."""
    return (node.tag or "").rpartition(":")[2]
