"""Formulas in TeX, written on one line as `formulas` does."""

import re
from typing import Final

from elcano.text.formulas import MOST_CHARACTERS, OMITTED, write_mathml
from elcano.text.xml_tree import XmlUnreadable, get_local_name, parse_xml

_DELIMITED: Final = re.compile(r"\$\$(.*)\$\$|\$(.*)\$|\\\((.*)\\\)|\\\[(.*)\\\]", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\[{}\\]")
BARE_DIGIT: Final = (
    re.compile(r"(\\(?:sqrt(?:\s?\[[^\[\]]{0,40}\])?|bar|hat|tilde|vec|overline|underline))\s?([0-9])(?=[0-9])"),
    r"\1{\2}",
)
"""An argument without braces is one digit, and latex2mathml takes all that follow, 23 of `\\sqrt23`: in braces."""
_AS_THE_LIBRARY_WRITES: Final = (
    (re.compile(r"\\(?:display|text|script|scriptscript)style(?![A-Za-z])"), ""),
    (re.compile(r"\\(begin|end)\{(?:aligned|split|gathered|align|eqnarray)\*?\}"), r"\\\1{align*}"),
    (re.compile(r"\\(arg|sgn|Var|Pr)(?![A-Za-z])"), r"\\operatorname{\1}"),
    (re.compile(r"\\textsuperscript(?![A-Za-z])"), "^"),
    (re.compile(r"\\textsubscript(?![A-Za-z])"), "_"),
    (re.compile(r"\\(?:label|tag|ref)\*?\{[^{}]{0,100}\}|\\(?:nonumber|notag|limits|nolimits)(?![A-Za-z])"), ""),
    (re.compile(r"(?<!\\)~"), " "),
    (re.compile(r"(\d)\{,\}(?=\d{3})"), r"\1,"),
    (re.compile(r"\\(?:ensuremath|mathstrut)(?![A-Za-z])"), ""),
    BARE_DIGIT,
)
"""Common TeX that latex2mathml does not know, as what it does know."""


def write_tex(source: str) -> str:
    """Write a formula in TeX, with or without its delimiters, on one line.

    What latex2mathml cannot read stays as it is written: TeX is unambiguous too.
    """
    tex = " ".join(source.split())
    if found := _DELIMITED.fullmatch(tex):
        tex = next(part for part in found.groups() if part is not None).strip()
    if len(tex) > MOST_CHARACTERS:
        return OMITTED
    return _write_known(tex) or tex


def _write_known(tex: str) -> str:
    """The formula on one line; empty if the library does not know all of it."""
    from latex2mathml.converter import convert

    known = tex
    for pattern, replacement in _AS_THE_LIBRARY_WRITES:
        known = pattern.sub(replacement, known)
    braces = _ESCAPED.sub("", known)
    if not known.strip() or braces.count("{") != braces.count("}"):
        return ""
    try:
        formula = parse_xml(convert(known).encode())
    except XmlUnreadable:
        return ""
    except Exception:  # its errors have no base of their own, and what others wrote may break it anywhere
        return ""
    for element in formula.iter():
        text = element.text or ""
        if get_local_name(element) == "mtext":
            element.text = re.sub(r"\\(.)", r"\1", text)
        elif text.startswith("\\") or text == "&":
            return ""
    written = write_mathml(formula)
    return "" if written == OMITTED else written
