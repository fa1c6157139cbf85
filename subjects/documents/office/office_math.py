"""Formulas of Word (OMML) as MathML, which `text.formulas` writes on one line."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Final

from lxml import etree

from elcano.subjects.documents.office.word_names import MATH, WORD, get_name
from elcano.text.formulas import OMITTED, write_mathml
from elcano.text.xml_tree import Element

_TOKEN: Final = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|\s+|[<>=:!]=|->|.", re.DOTALL)
_LEFT_OUT: Final = frozenset({"w:del", "w:moveFrom", "w:rPr", "w:delText", "w:instrText"})
_MOST_DEPTH: Final = 80
"""Maximum depth of a formula: each level costs Python two frames of its stack."""


def write_office_math(formula: Element) -> str:
    """Write the formula in an `m:oMath` or `m:oMathPara` on one line."""
    try:
        return write_mathml(_make("math", _convert_children(formula, 0)))
    except RecursionError:
        return OMITTED


def _make(name: str, children: list[Element] | None = None, text: str = "", **attributes: str) -> Element:
    element = etree.Element(name, attributes)
    if text:
        element.text = text
    element.extend(children or ())
    return element


def _row(parent: Element, name: str, depth: int) -> Element:
    """The argument `m:name` of a construct, as one row; empty if it is missing."""
    child = parent.find(MATH + name)
    return _make("mrow", [] if child is None else _convert_children(child, depth))


def _property(element: Element, group: str, name: str, default: str = "") -> str:
    """A property of a construct, such as the sign of an operator; `default` if it is not mentioned."""
    found = element.find(f"{MATH}{group}/{MATH}{name}")
    return default if found is None else found.get(MATH + "val") or ""


def _is_on(element: Element, group: str, name: str) -> bool:
    found = element.find(f"{MATH}{group}/{MATH}{name}")
    return found is not None and (found.get(MATH + "val") or "1") not in ("0", "off", "false")


def _convert_children(parent: Element, depth: int) -> list[Element]:
    if depth > _MOST_DEPTH:
        raise RecursionError
    converted: list[Element] = []
    for is_run, group in groupby(parent, key=lambda child: get_name(child) == "m:r"):
        if is_run:
            converted += _convert_runs(group)
        else:
            converted += (one for child in group for one in _convert(child, depth + 1))
    return converted


def _convert(element: Element, depth: int) -> Iterator[Element]:
    name = get_name(element)
    if (convert := _CONVERTERS.get(name)) is not None:
        yield convert(element, depth)
    elif name == "w:r":  # text of a tracked change may stand among the formula's own
        text = "".join(child.text or "" for child in element if get_name(child) == "w:t")
        yield _make("mtext", text=text)
    elif name not in _LEFT_OUT and not name.endswith("Pr"):
        before = element.getprevious()
        if name == "m:oMath" and before is not None and get_name(before) == name:
            yield _make("mspace", linebreak="newline")  # formulas of a paragraph are on lines of their own
        yield from _convert_children(element, depth)


def _convert_runs(runs: Iterable[Element]) -> Iterator[Element]:
    """Runs that follow one another: a word may be spread over several."""
    waiting, look = "", (False, False)
    for run in runs:
        if run.find(f"{WORD}rPr/{WORD}vanish") is not None or run.find(f"{WORD}rPr/{WORD}del") is not None:
            continue
        own = (_is_on(run, "rPr", "nor"), _property(run, "rPr", "sty") == "p")
        for child in run:
            name = get_name(child)
            if name in ("m:t", "w:t"):
                if own != look:
                    yield from _convert_text(waiting, *look)
                    waiting, look = "", own
                waiting += child.text or ""
            elif name == "w:br":
                yield from _convert_text(waiting, *look)
                waiting = ""
                yield _make("mspace", linebreak="newline")
    yield from _convert_text(waiting, *look)


def _convert_text(text: str, is_text: bool, is_upright: bool) -> Iterator[Element]:
    if text:
        yield from [_make("mtext", text=text)] if is_text else _split_tokens(text, is_upright=is_upright)


def _split_tokens(text: str, *, is_upright: bool) -> Iterator[Element]:
    for token in _TOKEN.findall(text):
        if token[0].isspace():
            yield _make("mtext", text=" ")
        elif token[0].isdigit():
            yield _make("mn", text=token)
        elif token[0].isalpha() and (is_upright or len(token) > 2):  # two letters are a product more often than a name
            yield _make("mi", text=token)
        elif token[0].isalpha():
            yield from (_make("mi", text=letter) for letter in token)
        else:
            yield _make("mo", text=token)


def _convert_fraction(element: Element, depth: int) -> Element:
    parts = [_row(element, "num", depth), _row(element, "den", depth)]
    kind = _property(element, "fPr", "type")
    return _make("mfrac", parts, linethickness="0") if kind == "noBar" else _make("mfrac", parts)


def _convert_root(element: Element, depth: int) -> Element:
    radicand, index = _row(element, "e", depth), _row(element, "deg", depth)
    if _is_on(element, "radPr", "degHide") or len(index) == 0:
        return _make("msqrt", [radicand])
    return _make("mroot", [radicand, index])


def _make_scripts(name: str, *parts: str) -> Callable[[Element, int], Element]:
    return lambda element, depth: _make(name, [_row(element, part, depth) for part in parts])


def _convert_prescripts(element: Element, depth: int) -> Element:
    lower, upper = _row(element, "sub", depth), _row(element, "sup", depth)
    return _make("mmultiscripts", [_row(element, "e", depth), _make("mprescripts"), lower, upper])


def _convert_operator(element: Element, depth: int) -> Element:
    sign = _make("mo", text=_property(element, "naryPr", "chr", "∫"))
    lower, upper = (
        _make("mrow") if _is_on(element, "naryPr", hidden) else _row(element, name, depth)
        for name, hidden in (("sub", "subHide"), ("sup", "supHide"))
    )
    return _make("mrow", [_make("munderover", [sign, lower, upper]), _row(element, "e", depth)])


def _convert_delimiters(element: Element, depth: int) -> Element:
    separator = _property(element, "dPr", "sepChr", "|")
    parts: list[Element] = [_make("mo", text=_property(element, "dPr", "begChr", "("), form="prefix")]
    for number, child in enumerate(element.findall(MATH + "e")):
        if number:
            parts.append(_make("mo", text=separator))
        parts.append(_make("mrow", _convert_children(child, depth)))
    parts.append(_make("mo", text=_property(element, "dPr", "endChr", ")"), form="postfix"))
    return _make("mrow", [part for part in parts if part.tag == "mrow" or part.text])


def _convert_function(element: Element, depth: int) -> Element:
    return _make("mrow", [_row(element, "fName", depth), _make("mo", text="\u2061"), _row(element, "e", depth)])


def _convert_accent(element: Element, depth: int) -> Element:
    sign = _make("mo", text=_property(element, "accPr", "chr", "\u0302"))
    return _make("mover", [_row(element, "e", depth), sign], accent="true")


def _convert_bar(element: Element, depth: int) -> Element:
    name = "mover" if _property(element, "barPr", "pos") == "top" else "munder"
    return _make(name, [_row(element, "e", depth), _make("mo", text="¯")])


def _convert_grouping(element: Element, depth: int) -> Element:
    name = "mover" if _property(element, "groupChrPr", "pos") == "top" else "munder"
    sign = _property(element, "groupChrPr", "chr", "⏟")
    return _make(name, [_row(element, "e", depth), _make("mo", text=sign)])


def _convert_phantom(element: Element, depth: int) -> Element:
    shown = _property(element, "phantPr", "show", "1") not in ("0", "off", "false")
    return _row(element, "e", depth) if shown else _make("mphantom")


def _convert_matrix(element: Element, depth: int) -> Element:
    rows = [
        _make("mtr", [_make("mtd", _convert_children(cell, depth)) for cell in row.findall(MATH + "e")])
        for row in element.findall(MATH + "mr")
    ]
    return _make("mtable", rows)


def _convert_equations(element: Element, depth: int) -> Element:
    """Lines of equations; `&` marks where they are aligned."""
    rows = [_make("mtr", [_make("mtd", _convert_children(one, depth))]) for one in element.findall(MATH + "e")]
    for row in rows:
        for sign in [one for one in row.iter("mo") if one.text == "&"]:
            sign.text = ""
    return _make("mtable", rows)


_CONVERTERS: Final[Mapping[str, Callable[[Element, int], Element]]] = {
    "m:f": _convert_fraction,
    "m:rad": _convert_root,
    "m:sSup": _make_scripts("msup", "e", "sup"),
    "m:sSub": _make_scripts("msub", "e", "sub"),
    "m:sSubSup": _make_scripts("msubsup", "e", "sub", "sup"),
    "m:limLow": _make_scripts("munder", "e", "lim"),
    "m:limUpp": _make_scripts("mover", "e", "lim"),
    "m:sPre": _convert_prescripts,
    "m:nary": _convert_operator,
    "m:d": _convert_delimiters,
    "m:func": _convert_function,
    "m:acc": _convert_accent,
    "m:bar": _convert_bar,
    "m:groupChr": _convert_grouping,
    "m:phant": _convert_phantom,
    "m:m": _convert_matrix,
    "m:eqArr": _convert_equations,
}
