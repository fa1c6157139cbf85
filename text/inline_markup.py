r"""Raised, lowered and mathematical text that records carry as tags of HTML, JATS or MathML, or as LaTeX, on one line.

Titles and abstracts of CSL-JSON, RIS and BibTeX hold `10<sup>9</sup>/L` or `10\textsuperscript{9}/L`: without their
marks these are other numbers. Tags that mean nothing of this kind are left to the reader of the format.
"""

import re
from typing import Final

from elcano.text.words import lower_text, raise_text

FORMULA_CHARACTERS: Final = 20_000
"""Length of a formula's markup; the longest in abstracts has some thousand."""
_STYLED: Final = r"</?(?:jats:)?(?:i|b|em|strong|italic|bold|u|span)(?:\s[^<>]{0,100})?>"
_SCRIPT: Final = re.compile(
    rf"<(?:jats:)?(su[bp])(?:\s[^<>]{{0,100}})?>((?:[^<>]{{1,60}}|{_STYLED}){{1,6}})</(?:jats:)?\1\s?>", re.IGNORECASE
)
_STYLE: Final = re.compile(_STYLED, re.IGNORECASE)
_ESCAPED: Final = re.compile(r"&lt;(/?(?:jats:)?su[bp])&gt;", re.IGNORECASE)
"""A tag that was escaped once too often."""
_FORMULA: Final = re.compile(r"<((?:[a-z]\w{0,9}:)?math)(?=[\s>])", re.IGNORECASE)
_LATEX_SCRIPT: Final = re.compile(r"\\text(super|sub)script\s?\{([^{}\\]{1,60})\}")
_LATEX_FORMULA: Final = re.compile(r"(?<!\\)\$((?:[^$\\]|\\.){1,500})\$")
_IS_FORMULA: Final = re.compile(r"[\\^_{=<>]|[A-Za-z]\w{0,2}\Z")
"""Text between two dollar signs that is no amount of money and the words up to the next one."""


def write_tagged_scripts(text: str) -> str:
    """`text` with superscripts, subscripts and MathML in tags written on the line; other tags stay."""
    if "&lt;" in text:
        text = _ESCAPED.sub(r"<\1>", text)
    if "<" not in text:
        return text
    return _SCRIPT.sub(_write_script, _write_tagged_formulas(text))


def write_latex_scripts(text: str) -> str:
    """`text` with superscripts, subscripts and formulas in LaTeX written on the line; the rest of LaTeX stays."""
    if "$" in text:
        text = _LATEX_FORMULA.sub(lambda found: _write_latex_formula(found[0], found[1]), text)
    return _LATEX_SCRIPT.sub(lambda found: (raise_text if found[1] == "super" else lower_text)(found[2]), text)


def _write_script(found: re.Match[str]) -> str:
    words = _STYLE.sub("", found[2])
    return (raise_text if found[1].lower() == "sup" else lower_text)(words)


def _write_latex_formula(whole: str, formula: str) -> str:
    if not _IS_FORMULA.search(formula):
        # Amounts of money are often exported without the backslash that LaTeX wants before a dollar sign.
        return whole.replace("$", "\\$")
    from elcano.text.tex_formulas import write_tex  # it loads lxml, and few texts have formulas

    return write_tex(formula)


def _write_tagged_formulas(text: str) -> str:
    if not _FORMULA.search(text):
        return text
    from elcano.text.formulas import write_mathml_source  # it loads lxml, and few texts have formulas

    parts: list[str] = []
    at = 0
    for begin in _FORMULA.finditer(text):
        if begin.start() < at:
            continue  # within the one before
        closing = f"</{begin[1]}>"
        end = text.find(closing, begin.end(), begin.end() + FORMULA_CHARACTERS)
        if end < 0:
            continue
        parts += (text[at : begin.start()], write_mathml_source(text[begin.start() : end + len(closing)]))
        at = end + len(closing)
    return "".join((*parts, text[at:]))
