"""Formulas (MathML) in the language of the typesetter of PDFs, and in LaTeX with `unicode-math`.

The latter takes most signs as they are.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any, Final

from elcano.doors.exports.report_elements import clean_text

GROUPS: Final = frozenset({"math", "mrow", "mstyle", "mpadded"})
TOKENS: Final = frozenset({"mi", "mn", "mo", "ms", "mtext"})
ATTACHED: Final = {
    "msup": ("t",),
    "msub": ("b",),
    "msubsup": ("b", "t"),
    "munderover": ("b", "t"),
}
"""Positions of the children after the first: at its bottom or top."""
ACCENTS: Final = frozenset("¯‾^~→˙¨ˇ˘")
"""Marks that belong to the letter below them."""
STRETCHED: Final = {
    ("t", "¯"): "overline",
    ("t", "‾"): "overline",
    ("t", "―"): "overline",
    ("t", "⏞"): "overbrace",
    ("b", "_"): "underline",
    ("b", "―"): "underline",
    ("b", "⏟"): "underbrace",
}
"""Marks that are as wide as what they belong to, by the side where they stand."""


_WIDTH: Final = re.compile(r"-?\d*\.?\d+em")


class UnknownFormula(Exception):
    """A formula has something that is not known here."""


def read_token(element: Any) -> str:
    """Read the text of a token; words keep a space around them, which is no part of any other."""
    text = " ".join((element.text or "").split())
    if element.tag != "mtext" or not text:
        return text
    return f"{' ' * element.text[0].isspace()}{text}{' ' * element.text[-1].isspace()}"


def read_space(element: Any) -> str:
    """The width of a space, as `1em`."""
    width: str = element.get("width", "").replace("negativethinmathspace", "-0.167em")
    return width if _WIDTH.fullmatch(width) else "0.3em"


def write_formula(element: Any, quote: Callable[[str], str]) -> str | None:
    """A formula as an expression; None if it has something that is not known here.

    Args:
        element: the element `math`.
        quote: makes a literal of a text.
    """
    try:
        return _Formula(quote).write(element)
    except UnknownFormula:
        return None


class _Formula:
    def __init__(self, quote: Callable[[str], str]) -> None:
        self._quote = quote

    def write(self, element: Any) -> str:
        children, tag = list(element), element.tag
        if tag in TOKENS:
            return self._write_token(element)
        if tag in ATTACHED and len(children) == len(ATTACHED[tag]) + 1:
            return self._attach(children[0], **dict(zip(ATTACHED[tag], children[1:], strict=True)))
        match tag, children:
            case "mrow", [first, *_, last] if {first.get("form"), last.get("form")} == {"prefix", "postfix"}:
                return f"math.lr({self._join(children)})"
            case "mspace", _:
                return f"h({read_space(element)})"
            case "mfrac", [over, under] if element.get("linethickness", "1").startswith("0"):  # n over k
                return f"math.mat(delim: none, ({self.write(over)},), ({self.write(under)},))"
            case "mfrac", [over, under]:
                return f"math.frac({self.write(over)}, {self.write(under)})"
            case "msqrt", _:
                return f"math.sqrt({self._join(children)})"
            case "mroot", [base, degree]:
                return f"math.root({self.write(degree)}, {self.write(base)})"
            case (("mover" | "munder"), [base, mark]):
                return self._write_marked(base, mark, "t" if tag == "mover" else "b")
            case "mtable", rows:
                cells = (f"({''.join(f'{self._join(cell)}, ' for cell in row)})" for row in rows)
                return f"math.mat(delim: none, {', '.join(cells)})"
        if tag in GROUPS:
            return self._join(children)
        raise UnknownFormula(tag)

    def _join(self, elements: Sequence[Any]) -> str:
        # From content on: two symbols would be joined to a text, which is set upright and without space around signs.
        return " + ".join(("[]", *map(self.write, elements)))

    def _attach(self, base: Any, **marks: Any) -> str:
        placed = "".join(f", {side}: {self.write(mark)}" for side, mark in marks.items())
        return f"math.attach({self.write(base)}{placed})"

    def _write_marked(self, base: Any, mark: Any, side: str) -> str:
        """A term with something above (`t`) or below it (`b`)."""
        sign = (mark.text or "").strip()
        if mark.tag != "mo" or len(mark) or sign.isalnum():
            return self._attach(base, **{side: mark})
        if (side, sign) in STRETCHED and (len(base) or sign not in ACCENTS):
            return f"math.{STRETCHED[side, sign]}({self.write(base)})"
        if side == "t" and sign in ACCENTS:
            return f"math.accent({self.write(base)}, {self._quote(sign)})"
        raise UnknownFormula(sign)

    def _write_token(self, element: Any) -> str:
        text = read_token(element)
        if not text:
            return "[]"
        if element.tag == "mi" and len(text) > 1:
            return f"math.op({self._quote(text)})"
        if element.tag in ("mi", "mo") and len(text) == 1:
            symbol = f"symbol({self._quote(text)})"
            return f"math.upright({symbol})" if element.get("mathvariant") == "normal" else symbol
        return f"text({self._quote(text)})"


_ACCENTS: Final = {
    **{"¯": "bar", "‾": "bar", "^": "hat", "~": "tilde", "→": "vec", "˙": "dot", "¨": "ddot", "ˇ": "check"},
    "˘": "breve",
}
_DELIMITERS: Final = {**{sign: sign for sign in "()[]|‖⟨⟩⌊⌋⌈⌉/"}, "{": r"\{", "}": r"\}", "": "."}
_SPECIAL: Final = frozenset("\\^~")
_ESCAPED: Final = frozenset("{}$&%#_")
_MATHEMATICAL: Final = ((0x00, 0x7F), (0x370, 0x3FF), (0x2100, 0x214F), (0x1D400, 0x1D7FF))
"""Letters that fonts for formulas have; others are set as text."""


LATEX_SIGNS: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{sign: f"\\{sign}" for sign in "{}$&%#_"},
        **{sign: f"{{{sign}}}" for sign in "[]"},  # the beginning and the end of what a command may take
        "\u200b": r"\allowbreak{}",
    }
)
_UNBROKEN: Final = re.compile(r"([!-~]{20})(?=[!-~]{8})")
"""Text that would run out of a line, or of a column of a table, as addresses do; words of letters are hyphenated."""


def escape_latex(text: str) -> str:
    """The text on one line, as what LaTeX shows."""
    return escape_latex_line(re.sub(r"\s+", " ", clean_text(text)))


def escape_latex_line(text: str) -> str:
    """The same, with the spaces that there are."""
    return _UNBROKEN.sub("\\1\u200b", text).translate(LATEX_SIGNS)


def write_latex_formula(element: Any) -> str | None:
    r"""A formula (the element `math`) to stand between `\(` and `\)`; None if it has something not known here."""
    try:
        return _write_latex(element)
    except UnknownFormula:
        return None


def _write_latex(element: Any) -> str:
    children, tag = list(element), element.tag
    if tag in TOKENS:
        return _write_latex_token(element)
    if tag in ATTACHED and len(children) == len(ATTACHED[tag]) + 1:
        signs = zip(ATTACHED[tag], children[1:], strict=True)
        return _attach_latex(children[0], dict(signs), limits=tag == "munderover")
    match tag, children:
        case "mrow", [first, *inner, last] if {first.get("form"), last.get("form")} == {"prefix", "postfix"}:
            opening, closing = (_DELIMITERS.get((one.text or "").strip()) for one in (first, last))
            if opening and closing:
                return rf"\left{opening} {_join_latex(inner)}\right{closing} "
            return _join_latex(children)
        case "mspace", _:
            return rf"\hspace{{{read_space(element)}}}"
        case "mfrac", [over, under]:
            bare = element.get("linethickness", "1").startswith("0")  # n over k
            command = r"\genfrac{}{}{0pt}{}" if bare else r"\frac"
            return f"{command}{{{_write_latex(over)}}}{{{_write_latex(under)}}}"
        case "msqrt", _:
            return rf"\sqrt{{{_join_latex(children)}}}"
        case "mroot", [base, degree]:
            return rf"\sqrt[{{{_write_latex(degree)}}}]{{{_write_latex(base)}}}"
        case (("mover" | "munder"), [base, mark]):
            return _write_latex_mark(base, mark, "t" if tag == "mover" else "b")
        case "mtable", rows:
            lines = (" & ".join(f"{{{_join_latex(cell)}}}" for cell in row) for row in rows)
            return "\\begin{matrix}" + "\\\\".join(lines) + "\\end{matrix}"
    if tag in GROUPS:
        return _join_latex(children)
    raise UnknownFormula(tag)


def _join_latex(elements: Sequence[Any]) -> str:
    return "".join(map(_write_latex, elements))


def _attach_latex(base: Any, marks: dict[str, Any], *, limits: bool) -> str:
    below, above = marks.get("b"), marks.get("t")
    placed = "" if below is None else f"_{{{_write_latex(below)}}}"
    placed += "" if above is None else f"^{{{_write_latex(above)}}}"
    return rf"\mathop{{{_write_latex(base)}}}\limits{placed}" if limits else f"{{{_write_latex(base)}}}{placed}"


def _write_latex_mark(base: Any, mark: Any, side: str) -> str:
    """A term with something above (`t`) or below it (`b`)."""
    sign = (mark.text or "").strip()
    if mark.tag != "mo" or len(mark) or sign.isalnum():
        return _attach_latex(base, {side: mark}, limits=True)
    if (side, sign) in STRETCHED and (len(base) or sign not in ACCENTS):
        return rf"\{STRETCHED[side, sign]}{{{_write_latex(base)}}}"
    if side == "t" and sign in _ACCENTS:
        return rf"\{_ACCENTS[sign]}{{{_write_latex(base)}}}"
    raise UnknownFormula(sign)


def _write_latex_token(element: Any) -> str:
    text = read_token(element).replace("\N{REVERSE SOLIDUS OPERATOR}", "\N{SET MINUS}")  # which the font has
    if element.tag in ("mi", "mo") and len(text) > 1 and text.isascii() and text.isalpha():
        return rf"\operatorname{{{text}}}"
    if element.tag in ("mtext", "ms") or not all(map(_is_mathematical, text)):
        return rf"\text{{{escape_latex(text)}}}"
    shown = (rf"\text{{{escape_latex(sign)}}}" if sign in _SPECIAL else sign for sign in text)
    written = "".join(f"\\{sign}" if sign in _ESCAPED else one for sign, one in zip(text, shown, strict=True))
    return rf"\mathrm{{{written}}}" if element.get("mathvariant") == "normal" and text.isascii() else written


def _is_mathematical(sign: str) -> bool:
    return unicodedata.category(sign)[0] not in "LM" or any(low <= ord(sign) <= high for low, high in _MATHEMATICAL)
