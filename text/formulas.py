"""Formulas as one line of Unicode text, which reads back as the same formula.

`3/4` is a fraction, `e^(1/2)` a power, `√13` and `∛27` are roots, `x_max` and `∑_(i=1)ⁿ` carry indices, `¹⁴C` keeps its
mass number. Parentheses are added only where the line would otherwise read as another formula. Every format goes this
way: MathML as it is, TeX through latex2mathml, formulas of Word as the MathML that `office` makes of them.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import unescape
from typing import Final

from lxml import etree, html

from elcano.text.formula_terms import (
    NOTHING,
    Term,
    accent,
    close,
    compact,
    join_terms,
    lower_script,
    make_token,
    put_over,
    raise_script,
)
from elcano.text.xml_tree import Element, get_local_name

MOST_CHARACTERS: Final = 2_000
"""Maximum length of a formula: longer ones are generated tables, which no one quotes."""
MOST_ELEMENTS: Final = 5_000
"""Maximum number of elements of a formula; the longest of 40 real articles has some 700."""
MOST_DEPTH: Final = 60
"""Maximum depth of a formula: each level costs Python a few frames of its stack."""
OMITTED: Final = "[formula]"
"""Stands for a formula that passes a limit: a sentence must not read on as if there were none."""

_GROUPS: Final = frozenset({"math", "mrow", "mstyle", "mpadded", "merror", "maction", "semantics", "menclose"})
"""Elements that only group what is in them, as a reader sees them."""
_INVISIBLE: Final = frozenset({"mphantom", "annotation", "annotation-xml", "maligngroup", "malignmark", "mprescripts"})
_FIRST_CHILD_ONLY: Final = frozenset({"maction", "semantics"})
_ROOTS: Final = {"2": "√", "3": "∛", "4": "∜"}
_BRACES: Final = frozenset("⏞⏟︷︸⏜⏝⎴⎵⏠⏡")
_UNDERLINES: Final = frozenset("_¯‾―̲")
_RELATIONAL_START: Final = re.compile(r"[=<>≤≥≈≡∼≃≅∝≠]")


class _TooLarge(Exception):
    """A limit is passed."""


def write_mathml(formula: Element) -> str:
    """Write a formula in MathML, with or without its namespace, on one line; empty if it shows nothing.

    A formula that passes a limit is `OMITTED`.
    """
    try:
        for count, _ in enumerate(formula.iter()):
            if count >= MOST_ELEMENTS:
                return OMITTED
        written = " ".join(_write_row([formula], 0).text.split())
    except _TooLarge:
        return OMITTED
    return written if len(written) <= MOST_CHARACTERS else OMITTED


def write_mathml_source(markup: str) -> str:
    """Write the formula of a page, given as its markup, on one line; empty if it shows nothing."""
    if len(markup) > MOST_CHARACTERS * 100:
        return OMITTED
    try:
        return write_mathml(html.fragment_fromstring(markup))
    except (etree.ParserError, etree.XMLSyntaxError):
        return ""


def _get_name(element: Element) -> str:
    """The name of an element without its namespace, or the prefix that represents one in HTML."""
    return get_local_name(element).rpartition(":")[2].lower()


def _write_row(elements: Sequence[Element], depth: int) -> Term:
    if depth > MOST_DEPTH:
        raise _TooLarge
    return join_terms(
        [_WRITERS.get(_get_name(one), _write_token)(one, depth + 1) for one in _list_parts(elements, depth)]
    )


def _list_parts(elements: Sequence[Element], depth: int) -> Iterator[Element]:
    """The elements in order, with groups replaced by what is in them: an operator may stand in a group of its own."""
    for element in elements:
        name = _get_name(element)
        if name == "menclose" and "radical" in (element.get("notation") or ""):
            yield element
        elif name in _GROUPS or (name and name not in _WRITERS and name not in _INVISIBLE and len(element)):
            if depth > MOST_DEPTH:
                raise _TooLarge
            children = list(element)
            yield from _list_parts(children[:1] if name in _FIRST_CHILD_ONLY else children, depth + 1)
        elif name and name not in _INVISIBLE:
            yield element


def _write_token(element: Element, depth: int) -> Term:
    text = "".join(map(str, element.itertext(with_tail=False)))
    name = _get_name(element)
    text = f'"{text}"' if name == "ms" else text
    return make_token(unescape(text), name, element.get("form") or "")


def _write_space(element: Element, depth: int) -> Term:
    if element.get("linebreak") == "newline":
        return Term("; ", "separator")
    return NOTHING if (element.get("width") or "").startswith(("-", "0em", "0px")) else Term(" ", "space")


def _write_children(element: Element, depth: int) -> list[Term]:
    return [_write_row([child], depth) for child in element if _get_name(child)]


def _write_fraction(element: Element, depth: int) -> Term:
    parts = _write_children(element, depth)
    if len(parts) != 2:
        return join_terms(parts)
    if re.match(r"0(?:$|\.0*\D|[a-z%])", element.get("linethickness") or ""):
        return Term(f"{parts[0].text} choose {parts[1].text}", closed=f"({parts[0].text} choose {parts[1].text})")
    return put_over(*parts)


def _write_root(element: Element, depth: int) -> Term:
    """`msqrt` and `menclose` have their radicand as a row, `mroot` has an index behind it."""
    children = [child for child in element if _get_name(child)]
    index = ""
    if _get_name(element) == "mroot" and len(children) == 2:
        index = compact(_write_row(children[1:], depth).text)
        children = children[:1]
    radicand = _write_row(children, depth)
    sign = _ROOTS.get(index) or ("√" if not index else f"{raise_script(index)}√")
    if len(index) > 1 and sign.startswith("^"):
        return Term(f"root({radicand.text}, {index})", is_single=True)
    written = radicand.text if _is_closed_text(radicand.text) else f"({radicand.text})"
    bare = (
        radicand.text if (radicand.text.isalpha() and len(radicand.text) == 1) or _is_number(radicand.text) else written
    )
    return Term(sign + bare, closed=sign + written, is_single=True, grips_right_only=True)


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"\d[\d.,]{0,40}", text))


def _is_closed_text(text: str) -> bool:
    """Whether parentheses enclose all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return False
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and place < len(text) - 1:
            return False
    return True


def _write_scripts(element: Element, depth: int) -> Term:
    base, *scripts = _write_children(element, depth) or [NOTHING]
    name = _get_name(element)
    lower = scripts[0].text if scripts and name != "msup" else ""
    upper = scripts[-1].text if scripts and name != "msub" else ""
    return _attach_scripts(base, lower, upper if name == "msup" or len(scripts) > 1 else "")


def _attach_scripts(base: Term, lower: str, upper: str) -> Term:
    below, above = lower_script(lower), raise_script(upper)
    if not below and not above:
        return base
    if not base.text:  # the mass and atomic numbers of what follows
        return Term(above + below, is_single=True)
    text = base.text
    if above:
        text = base.closed or (f"({base.text})" if _ends_raised(base.text) else base.text)
    role = base.role if base.role not in ("space", "separator", "postfix") else "atom"
    return Term(text + below + above, role, is_single=base.is_single)


def _ends_raised(text: str) -> bool:
    return bool(re.search(r"(?:[⁰¹²³⁴-ⁿᵃ-ᶻ]|\^[^\s^]{1,80})$", text)) and not text.endswith("°")


def _write_limits(element: Element, depth: int) -> Term:
    base, *scripts = _write_children(element, depth) or [NOTHING]
    name = _get_name(element)
    under = scripts[0].text if scripts and name != "mover" else ""
    over = scripts[-1].text if scripts and (name == "mover" or len(scripts) > 1) else ""
    if over and (accented := accent(base, over)) is not None:
        return _attach_scripts(accented, under, "")
    under = "" if under in _UNDERLINES | _BRACES else under
    over = "" if over in _BRACES else over
    if not over and base.role == "atom" and base.text.isalpha() and len(base.text) > 1:  # lim, max
        return _attach_scripts(base._replace(role="large"), under, "")
    if base.role in ("infix", "large", "prefix") or not over:
        return _attach_scripts(
            base if base.role != "atom" or base.is_single else Term(close(base), is_single=True), under, over
        )
    return Term(f"{_attach_scripts(base, under, '').text}[above: {over}]", is_single=True)


def _write_prescripts(element: Element, depth: int) -> Term:
    """`mmultiscripts`: a base, pairs of scripts behind it, and after `mprescripts` pairs before it."""
    children = [child for child in element if _get_name(child)]
    names = [_get_name(child) for child in children]
    split = names.index("mprescripts") if "mprescripts" in names else len(children)
    before, behind = children[split + 1 :], children[1:split]

    def write_pairs(scripts: Sequence[Element]) -> tuple[str, str]:
        texts = [_write_row([one], depth).text for one in scripts]
        return "".join(texts[::2]), "".join(texts[1::2])

    base = _attach_scripts(_write_row(children[:1], depth), *write_pairs(behind))
    lower, upper = write_pairs(before)
    return Term(raise_script(upper) + lower_script(lower) + base.text, base.role, is_single=True)


def _write_fenced(element: Element, depth: int) -> Term:
    parts = _write_children(element, depth)
    opening, closing = element.get("open", "("), element.get("close", ")")
    separators = "".join(element.get("separators", ",").split())
    text = parts[0].text if parts else ""
    for number, part in enumerate(parts[1:]):
        sign = separators[min(number, len(separators) - 1)] if separators else ""
        text += f"{sign} {part.text}" if sign in ",;" else f"{sign}{part.text}"
    return Term(f"{opening}{text}{closing}", is_single=bool(opening and closing))


def _write_table(element: Element, depth: int) -> Term:
    rows = [_write_table_row(row, depth) for row in element if _get_name(row) in ("mtr", "mlabeledtr")]
    text = "; ".join(row for row in rows if row)
    return Term(text, closed=f"[{text}]")


def _write_table_row(row: Element, depth: int) -> str:
    cells = [_write_row(list(cell), depth).text for cell in row if _get_name(cell) == "mtd"]
    label = cells.pop(0) if _get_name(row) == "mlabeledtr" and cells else ""
    text = ""
    for cell in filter(None, cells):  # cells of aligned equations begin or end with their relation
        loose = _RELATIONAL_START.match(cell) or _RELATIONAL_START.match(text[-1:])
        text += f"{' ' if loose else ', '}{cell}" if text else cell
    return f"{text} {label}".strip()


_WRITERS: Final[Mapping[str, Callable[[Element, int], Term]]] = {
    **dict.fromkeys(("mi", "mn", "mo", "mtext", "ms"), _write_token),
    **dict.fromkeys(("msqrt", "mroot", "menclose"), _write_root),
    **dict.fromkeys(("msup", "msub", "msubsup"), _write_scripts),
    **dict.fromkeys(("munder", "mover", "munderover"), _write_limits),
    "mfrac": _write_fraction,
    "mfenced": _write_fenced,
    "mmultiscripts": _write_prescripts,
    "mspace": _write_space,
    "mtable": _write_table,
    "none": lambda element, depth: NOTHING,
}
