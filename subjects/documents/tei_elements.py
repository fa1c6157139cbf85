"""Single elements of TEI: which are raised, inline or only marks, and how lists read."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from elcano.subjects.documents.article_text import TextRules, join_lines, write_text
from elcano.text.xml_tree import Element, get_local_name

_RAISED: Final = ("superscript", "sup", "super")
_LOWERED: Final = ("subscript", "sub")
BLOCKS: Final = frozenset(
    {"p", "ab", "div", "div1", "div2", "div3", "div4", "div5", "list", "table", "figure", "formula", "quote", "cit",
     "lg", "l", "sp", "note", "listBibl", "biblStruct", "floatingText", "head", "stage", "castList", "titlePage",
     "epigraph"}
)  # fmt: skip
_INLINE: Final = frozenset(
    {"hi", "emph", "foreign", "mentioned", "soCalled", "gloss", "term", "title", "name", "rs", "persName", "placeName",
     "orgName", "geogName", "date", "time", "num", "measure", "abbr", "choice", "sic", "orig", "add", "unclear",
     "supplied", "gap", "ref", "ptr", "seg", "w", "pc", "c", "q", "said", "ex", "am", "g", "lb", "pb", "cb",
     "milestone", "anchor"}
)  # fmt: skip


_WHOLE: Final = frozenset({"w", "name", "rs", "persName", "placeName", "orgName", "geogName", "date", "time"})


def _is_whole(element: Element) -> bool:
    """Whether an element is a word or a name; parts of a word say so."""
    return get_local_name(element) in _WHOLE and element.get("part", "N") == "N" and "join" not in element.attrib


def _has_rendering(element: Element, names: tuple[str, ...]) -> bool:
    words = f"{element.get('rend', '')} {element.get('rendition', '')}".lower().replace("#", " ").split()
    return get_local_name(element) in ("hi", "ref", "seg", *names) and (
        get_local_name(element) in names or any(word in names for word in words)
    )


def _is_mark(element: Element) -> bool:
    """Whether an element is the raised mark of a note or a reference."""
    return get_local_name(element) == "ref" and (
        element.get("type") in ("foot", "noteAnchor")
        or (element.get("type") == "bibr" and _has_rendering(element, _RAISED))
    )


def _is_inline(element: Element) -> bool:
    return get_local_name(element) in _INLINE and not any(get_local_name(one) in BLOCKS for one in element)


RULES: Final = TextRules(
    left_out=frozenset(
        {"fw", "corr", "reg", "expan", "note", "figDesc", "graphic", "teiHeader", "rdg", "del", "index"}
    ),
    spaced=frozenset(
        {"p", "head", "item", "cell", "l", "lg", "pb", "cb", "label", "speaker", "persName", "forename", "surname"}
    ),
    raised=lambda element: _has_rendering(element, _RAISED),
    lowered=lambda element: _has_rendering(element, _LOWERED),
    is_mark=_is_mark,
    is_formula=lambda element: get_local_name(element) in ("formula", "math"),
    parted=("role", "roleDesc", "actor", "castItem", "signed", "salute", "dateline", "date", "note"),
    is_whole=_is_whole,
    is_inline=_is_inline,
)

REFERENCE_RULES: Final = replace(
    RULES,
    left_out=frozenset(RULES.left_out) - {"note"},
    parted=(*RULES.parted, "author", "editor", "title", "publisher", "pubPlace", "biblScope"),
)
"""Of a reference as it is printed: what its encoders call a note is part of it, such as "second edition"."""


def list_items(element: Element, ordered: bool, depth: int = 0) -> Iterator[str]:
    """Yield the items of a list with what stands before them, and after each the items of lists within it."""
    glossary = element.get("type") == "gloss"
    number, label = 0, ""
    for item in element.iterchildren("{*}label", "{*}item"):
        text = join_lines(write_text(item, RULES, ("list",))).replace("\n", " ")
        if get_local_name(item) == "label":
            label = " ".join(filter(None, (label, text)))
            continue
        number += 1
        mark = item.get("n") or (f"{number}." if ordered else "-")
        if label:  # the term that it explains, or the number or year that is printed before it
            mark = f"{label}:" if glossary and label[-1].isalnum() else label
            label = ""
        yield f"{mark} {text}"
        for inner in item.iterchildren("{*}list") if depth < 20 else ():
            yield from list_items(inner, ordered, depth + 1)
    if label:  # without an item
        yield label
