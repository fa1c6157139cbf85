"""Formulas, exponents, fractions and note marks of a page as text, written into its tree before anything reads it.

A formula is written on one line, as `text.formulas` says: from its MathML if the page has that, else from its TeX.
Programs that draw formulas leave several copies of one in a page, for eyes, for screen readers and for themselves: it
is read once. What is raised or lowered is written as `text.words` says. Inner elements come first, and none is read
further than it may be long, so that nesting costs nothing.
"""

import re
from collections.abc import Callable
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from elcano.text.formulas import MOST_CHARACTERS, OMITTED, write_mathml_source
from elcano.text.tex_formulas import write_tex
from elcano.text.words import LONGEST, lower_text, raise_text

MOST_PREFIXES: Final = 4
"""Number of prefixes of MathML in one page; real ones have one."""
MOST_FORMULAS: Final = 1_000
"""Number of formulas that are looked at for their prefixes."""
_PREFIX: Final = re.compile(r"<([a-z][a-z0-9]{0,9}):(?:math|msup|msub|msubsup|mfrac)(?=[\s>])", re.IGNORECASE)
_RAISED_OR_LOWERED: Final = "sup, sub, jats\\:sup, jats\\:sub"
_PIECES: Final = "msup, msub, msubsup, mfrac, msqrt, mroot, mmultiscripts"
"""Elements of MathML that services give without the formula around them."""
_DRAWN_BY_MATHJAX: Final = (
    ":is(.MathJax_Preview, .MathJax, .MathJax_Display, .MathJax_SVG, .MathJax_SVG_Display, .MathJax_CHTML, .mjx-chtml, "
    ".MJXc-display)"
)
"""`:is`, here and below, because the parser gives an element once for each selector of a plain list that it matches."""
_SCRIPTS: Final = "script[type^='math/tex'], script[type^='math/mml']"
_PICTURES: Final = "img:is(.tex, .latex, .mwe-math-fallback-image-inline, [src*='/latex'])[alt]"
_NOTE_MARK: Final = re.compile(r"\d{1,4}(?:\s?[,;\u2013-]\s?\d{1,4}){0,20}|[a-z]{1,2}", re.IGNORECASE)
_NOTE_REFERENCES: Final = "a[role=doc-noteref], a[epub\\:type~=noteref]"
_FRACTIONS: Final = ":is(.sfrac, .frac, .tion)"
_HIDDEN_SLASHES: Final = ":is(.sfrac .sr-only, .frac .sr-only, .sfrac .visualhide, .frac .visualhide)"
"""Written out: the parser looks for what is before a space in the parent alone if that is an `:is(...)`."""
"""Fractions of MediaWiki: a number over another one, whose bar is a sign for screen readers alone."""
_SLASHES: Final = "/\u2044\u2215"


def strip_math_prefixes(markup: str) -> str:
    """`markup` with the elements of MathML as HTML has them: parsers of HTML know no prefixes such as `mml:`."""
    prefixes = {found[1] for found in islice(_PREFIX.finditer(markup), MOST_FORMULAS)}
    for prefix in sorted(prefixes)[:MOST_PREFIXES]:
        markup = re.sub(rf"<(/?){prefix}:(?=[a-z])", r"<\1", markup)
    return markup


def write_formulas(root: LexborNode) -> None:
    """Write each formula below `root` as text, and superscripts and subscripts elsewhere."""
    _drop_copies(root)
    for node in reversed(root.css("math")):
        _put(node, _write_formula(node))
    for node in reversed(root.css(_PIECES)):
        _put(node, write_mathml_source(node.html or ""))
    for node in reversed(root.css(".mwe-math-element")):
        # It holds MathML that browsers hide and a picture of it, or only one of both.
        picture = node.css_first("img[alt]")
        written = " ".join(node.text(separator=" ").split())
        tex = picture.attributes.get("alt") or "" if picture is not None else ""
        _put(node, (written if len(written) <= MOST_CHARACTERS else OMITTED) or write_tex(tex))
    for node in reversed(root.css(_SCRIPTS)):
        is_tex = (node.attributes.get("type") or "").startswith("math/tex")
        _put(node, write_tex(node.text()) if is_tex else write_mathml_source(node.text()))
    for node in reversed(root.css(_PICTURES)):
        _put(node, write_tex(node.attributes.get("alt") or ""))
    write_exponents(root)


def write_exponents(root: LexborNode) -> None:
    """Write superscripts, subscripts and simple fractions below `root` as text."""
    _write_fractions(root)
    for node in reversed(root.css(_NOTE_REFERENCES)):
        _write_note_mark(node)
    for node in reversed(root.css(_RAISED_OR_LOWERED)):
        if (node.tag or "").endswith("sub"):
            _replace_node(node, lower_text)
        elif not _is_note_mark(node) or not _write_note_mark(node):
            _replace_node(node, raise_text)


def _drop_copies(root: LexborNode) -> None:
    """Leave one copy of each formula that a script has drawn."""
    _remove(root.css(".katex-mathml + .katex-html"))
    if root.css_first(_SCRIPTS) is not None:
        _remove(root.css(_DRAWN_BY_MATHJAX))
    for node in reversed(root.css("[data-mathml]")):
        _put(node, write_mathml_source(node.attributes.get("data-mathml") or ""))
    for node in reversed(root.css("mjx-math")):
        if node.next is not None and node.next.tag == "mjx-assistive-mml":
            node.decompose()


def _remove(nodes: list[LexborNode]) -> None:
    for node in reversed(nodes):
        node.decompose()


def _put(node: LexborNode, text: str) -> None:
    """Replace a node by text; an empty one leaves a space, so that nothing runs together."""
    node.replace_with(text or " ")


def _write_formula(node: LexborNode) -> str:
    written = write_mathml_source(node.html or "")
    if written and written != OMITTED:
        return written
    tex = node.attributes.get("alttext") or ""
    if not tex and (annotation := node.css_first("annotation[encoding='application/x-tex']")) is not None:
        tex = annotation.text()
    return write_tex(tex) if tex.strip() else written


def _write_fractions(root: LexborNode) -> None:
    for node in reversed(root.css(_HIDDEN_SLASHES)):
        text = node.text().strip()
        node.replace_with(text if text and text in _SLASHES else " ")
    for node in root.css(_FRACTIONS):
        if _text_before(node)[-1:].isdigit():
            node.insert_before(" ")
    for node in reversed(root.css("sup")):
        _write_slashed_fraction(node)


def _write_slashed_fraction(node: LexborNode) -> None:
    """Write a fraction such as `3<sup>1</sup>/<sub>2</sub>`, of which the superscript is given."""
    slash = node.next
    under = slash.next if slash is not None and slash.is_text_node else None
    if slash is None or under is None or under.tag != "sub" or (slash.text_content or "").strip() not in _SLASHES:
        return
    over = (_read_bounded_text(node, LONGEST) or "").strip()
    below = (_read_bounded_text(under, LONGEST) or "").strip()
    if over.isdigit() and below.isdigit() and slash.text_content:
        gap = " " if _text_before(node)[-1:].isdigit() else ""
        under.replace_with(below)
        node.replace_with(gap + over)


def _is_note_mark(node: LexborNode) -> bool:
    """Whether a raised text leads to a note: it holds a link, or is held by one."""
    above = node.parent
    if above is not None and above.tag == "a" and "href" in above.attributes:
        return True
    for count, one in enumerate(node.traverse()):
        if count > LONGEST:
            return False
        if one.tag == "a" and "href" in one.attributes:
            return True
    return False


def _write_note_mark(node: LexborNode) -> bool:
    """Write the mark of a note in brackets: raised numbers would be read as exponents."""
    mark = (_read_bounded_text(node, LONGEST) or "").strip()
    if _NOTE_MARK.fullmatch(mark) is None:
        return False
    node.replace_with(f"[{mark}]")
    return True


def _text_before(node: LexborNode) -> str:
    before = node.prev
    if before is None or not (before.is_text_node or before.is_element_node):
        return ""
    return (before.text_content or "") if before.is_text_node else (_read_bounded_text(before, LONGEST) or "")


def _replace_node(node: LexborNode, write: Callable[[str], str]) -> None:
    text = _read_bounded_text(node, LONGEST)
    if text is not None and text.strip():
        node.replace_with(write(text))


def _read_bounded_text(node: LexborNode, most: int) -> str | None:
    """The text in it; None if it is longer than `most`, or the tree below it larger."""
    parts: list[str] = []
    length = 0
    for count, one in enumerate(node.traverse(include_text=True)):
        if one.is_text_node:
            parts.append(one.text_content or "")
            length += len(parts[-1])
        if length > most or count > most:
            return None
    return "".join(parts)
