"""The parts of a formula that is written on one line, and how they are joined; see `formulas`."""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from elcano.text.words import lower_text, raise_text

Role: TypeAlias = Literal["atom", "infix", "tight", "prefix", "postfix", "open", "close", "separator", "space", "large"]
"""Role of a term towards its neighbours. `infix` has spaces around it and `tight` none; a `large` operator, such as a
sum, has one behind it."""


class Term(NamedTuple):
    """A part of a formula on one line."""

    text: str
    role: Role = "atom"
    closed: str = ""
    """Form next to a factor, where `text` would be read otherwise; empty: the same."""
    is_single: bool = False
    """Whether it is one number, name, power or group: as a denominator it needs no parentheses."""
    grips_right_only: bool = False
    """Whether only a factor behind it needs `closed`, as with a root."""


NOTHING: Final = Term("", "space")

_SIGNS: Final = frozenset("+−±∓")
_INFIX: Final = "+−±∓×÷∧∨∩∪⊕⊗⊖⊙∘=<>≤≥≦≧⩽⩾≠≈≡∼≃≅≍∝∈∉∋⊂⊆⊃⊇⊄→←↔⇒⇐⇔↦⟶⟵⟹⟺⟼≪≫≺≻⊢⊨≔≜≐∥⊥⇌⇄⇋∖≲≳≮≯≢≇∴∵"
_LARGE: Final = "∑∏∐∫∬∭∮∯⋂⋃⨁⨂⨀⋁⋀"
_OPEN: Final = "([{⟨⌈⌊⟦〈"
_CLOSE: Final = ")]}⟩⌉⌋⟧〉"
_ROLES: Final[dict[str, Role]] = {
    **dict.fromkeys(_INFIX, "infix"),
    **dict.fromkeys("/·⋅∗*∙|∣‖⁄∕:", "tight"),
    **dict.fromkeys("∂∇∀∃∄¬∆√∠", "prefix"),
    **dict.fromkeys("!%‰°′″‴", "postfix"),
    **dict.fromkeys(_LARGE, "large"),
    **dict.fromkeys(_OPEN, "open"),
    **dict.fromkeys(_CLOSE, "close"),
    **dict.fromkeys(",;\u2063", "separator"),
    **dict.fromkeys("\u2061\u2062\u2064", "space"),
}
_INVISIBLE: Final = dict.fromkeys(map(ord, "⁡⁢⁣⁤​⁠﻿"), "")
_SAME: Final = {**dict(zip("-‐–~'⋆∗⋅∣∕⁄―", "−−−∼′**·|//—", strict=True)), "''": "″"}
"""Operators that are drawn alike, in one spelling, so that each is found however it was typed."""
_PRIMES: Final = frozenset("′″‴⁗'")
_ORDINALS: Final = frozenset({"st", "nd", "rd", "th"})
_STYLED_LETTER: Final = re.compile("[\U0001d400-\U0001d7ff\u2148\u2146\u2147\u210e]")
_LOOSE_SIGNS: Final = "".join(map(re.escape, sorted(_INFIX)))
_SPACE_AT_SIGN: Final = re.compile(rf" (?=[{_LOOSE_SIGNS}])|(?<=[{_LOOSE_SIGNS},]) ")
_RAISED: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀ"
_LOWERED: Final = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"
_PLAIN_SCRIPT: Final = re.compile(rf"[{_LOWERED}{_RAISED}]+")
_ENDS_IN_WORD: Final = re.compile(
    rf"(?:[^\W\d_{_RAISED}{_LOWERED}]{{2}}|[_^][^\W_]{{1,80}})[{_RAISED}{_LOWERED}]{{0,80}}$"
)
_ENDS_IN_LETTER: Final = re.compile(rf"[^\W\d_{_RAISED}{_LOWERED}]$")
_DIFFERENTIAL: Final = re.compile(r"[d∂][^\W\d_]")
_BEGINS_WITH_WORD: Final = re.compile(rf"[^\W\d_{_RAISED}{_LOWERED}]{{2}}")
_OPERATED: Final = re.compile(rf"[\s/·*:|{_LOOSE_SIGNS}]")

_ACCENTS: Final[dict[str, tuple[str, str]]] = {
    **dict.fromkeys("^ˆ̂", ("\u0302", "hat")),
    **dict.fromkeys("~˜̃∼", ("\u0303", "tilde")),
    **dict.fromkeys("¯‾―_ˉ̅̄−—-", ("\u0304", "overline")),
    **dict.fromkeys("→⃗⇀⟶", ("\u20d7", "vec")),
    **dict.fromkeys("˙.̇", ("\u0307", "dot")),
    **dict.fromkeys("¨̈", ("\u0308", "ddot")),
    **dict.fromkeys("ˇ̌", ("\u030c", "check")),
    **dict.fromkeys("˘̆", ("\u0306", "breve")),
    **dict.fromkeys("´́", ("\u0301", "acute")),
    **dict.fromkeys("`̀", ("\u0300", "grave")),
}
"""By the sign over a letter: the combining character, and the name for what is longer than a letter."""


def make_token(text: str, name: str, form: str = "") -> Term:
    """The term of a number, name, operator or text; `name` and `form` are those of its element in MathML."""
    if not text.strip():
        return Term(" ", "space") if text else NOTHING
    core = " ".join(text.split())
    core = _SAME.get(core, core)
    if core == "⧸":  # latex2mathml draws this over what follows
        return Term("\u0338", "prefix")
    role = _ROLES.get(core) or ("infix" if len(core) in (2, 3) and not set(core) - set("<>=:!−-→") else "atom")
    core = core.translate(_INVISIBLE)
    if core in ("|", "‖") and form in ("prefix", "postfix"):
        role = "open" if form == "prefix" else "close"
    if name == "mo" and len(core) > 1 and core.isalpha():
        role = "large"  # lim, Var
    if name == "mtext":
        core = f"{' ' * text[0].isspace()}{core}{' ' * text[-1].isspace()}"
    core = _STYLED_LETTER.sub(lambda letter: unicodedata.normalize("NFKC", letter[0]), core)
    return Term(core, role, is_single=" " not in core)


def close(term: Term) -> str:
    """A term as a factor or a base."""
    return term.closed or (term.text if term.is_single else f"({term.text})")


def put_over(over: Term, under: Term) -> Term:
    """A fraction."""
    above = over.closed if over.grips_right_only and over.closed else over.text
    if over.closed and not over.grips_right_only:
        above = over.closed
    elif _has_operators(above):
        above = f"({above})"
    below = under.closed if under.closed else under.text
    if not under.closed and (not under.is_single or _has_operators(below)) and not _DIFFERENTIAL.fullmatch(below):
        below = f"({below})"
    return Term(f"{above}/{below}", closed=f"({above}/{below})")


def _has_operators(text: str) -> bool:
    """Whether there are spaces or operators outside of parentheses."""
    depth = 0
    for place, sign in enumerate(text):
        if sign in _OPEN:
            depth += 1
        elif sign in _CLOSE:
            depth -= 1
        elif depth == 0 and (_OPERATED.match(sign) or (place == 0 and sign in _LARGE)):
            return True
    return False


def compact(text: str) -> str:
    """`text` as it is written in an exponent or index: without spaces at operators."""
    return _SPACE_AT_SIGN.sub("", text.strip())


def raise_script(text: str) -> str:
    """An exponent: raised characters if there are such for all of it, else `^(…)`."""
    core = compact(text)
    if not core or set(core) <= _PRIMES:
        return core.replace("'", "′")
    if core in _ORDINALS:
        return core
    if core in ("∘", "°"):
        return "°"
    raised = raise_text(core)
    if raised != core and _PLAIN_SCRIPT.fullmatch(raised):
        return raised
    return f"^{core}" if len(core) == 1 else f"^({core})"


def lower_script(text: str) -> str:
    """An index: lowered characters if there are such for all of it, else `_name` or `_(…)`."""
    core = compact(text)
    if not core:
        return ""
    lowered = lower_text(core)
    if lowered != core and _PLAIN_SCRIPT.fullmatch(lowered):
        return lowered
    return f"_{core}" if len(core) == 1 or (core.isascii() and core.isalnum()) else f"_({core})"


def accent(base: Term, over: str) -> Term | None:
    """`base` below an accent, or None if `over` is none."""
    if over not in _ACCENTS or base.role != "atom" or not base.text:
        return None
    combining, name = _ACCENTS[over]
    if len(base.text) == 1:
        return Term(unicodedata.normalize("NFC", base.text + combining), is_single=True)
    return Term(f"{name}({base.text})", is_single=True)


def join_terms(terms: Sequence[Term]) -> Term:
    """Terms next to one another."""
    shown = _join_numbers([term for term in terms if term.text])
    if len(shown) == 1:
        return shown[0]
    roles = _settle_roles(shown)
    parts: list[str] = []
    for place in range(len(shown)):
        parts.append(_choose_form(shown, roles, place))
        if place + 1 < len(shown):
            parts.append(_choose_gap(parts[-1], _choose_form(shown, roles, place + 1), roles[place], roles[place + 1]))
    struck = re.sub("\u0338 ?(.)", "\\1\u0338", "".join(parts))  # a stroke drawn over a sign becomes part of it
    text = unicodedata.normalize("NFC", struck)
    is_fenced = len(shown) > 1 and roles[0] == "open" and roles[-1] == "close" and _encloses_all(roles)
    bare_quotient = any(term.closed and not term.grips_right_only for term in shown) and not is_fenced
    return Term(text, closed=f"({text})" if bare_quotient else "", is_single=is_fenced)


def _encloses_all(roles: Sequence[Role]) -> bool:
    depth = 0
    for role in roles[:-1]:
        depth += (role == "open") - (role == "close")
        if depth == 0:
            return False
    return True


def _join_numbers(terms: Sequence[Term]) -> list[Term]:
    """Numbers whose point or comma is an element of its own, as one: `1`, `,`, `000`."""
    joined: list[Term] = []
    for place, term in enumerate(terms):
        if len(joined) >= 2 and joined[-1].text in (",", ".") and joined[-1].role in ("separator", "atom"):
            before = joined[-2].text
            after = terms[place + 1].role if place + 1 < len(terms) else "atom"
            alone = len(joined) >= 3 and joined[-3].role == "open" and after == "close"
            groups = re.fullmatch(r"[1-9]\d{0,2}(?:,\d{3}){0,5}", before) and re.fullmatch(
                r"\d{3}(?:\.\d+)?", term.text
            )
            decimals = before.isdecimal() and term.text.isdecimal() and joined[-1].text == "."
            if decimals or (groups and not alone and joined[-1].text == ","):
                joined[-2:] = [Term(before + joined[-1].text + term.text, is_single=True)]
                continue
        joined.append(term)
    return joined


def _settle_roles(terms: Sequence[Term]) -> list[Role]:
    """A sign at the beginning, or behind another operator, is no infix; bars open and close in turn."""
    roles: list[Role] = []
    for term in terms:
        before = next((role for role in reversed(roles) if role != "space"), None)
        role = term.role
        if (
            role == "infix"
            and term.text in _SIGNS
            and before in (None, "infix", "tight", "open", "separator", "prefix")
        ):
            role = "prefix"
        roles.append(role)
    return roles


def _choose_form(terms: Sequence[Term], roles: Sequence[Role], place: int) -> str:
    term = terms[place]
    if not term.closed:
        return term.text
    left = next((at for at in range(place - 1, -1, -1) if roles[at] != "space"), None)
    right = next((at for at in range(place + 1, len(terms)) if roles[at] != "space"), None)
    if left is not None and _is_mixed_number(terms[left].text, term.text):
        return term.text
    gripped_left = left is not None and (roles[left] in ("atom", "close", "tight", "postfix", "large"))
    gripped_left = gripped_left or (left is not None and terms[left].text in ("÷", "∘"))
    gripped_right = right is not None and roles[right] in ("atom", "open", "tight", "postfix", "prefix")
    if gripped_right or (gripped_left and not term.grips_right_only):
        return term.closed
    return term.text


def _is_mixed_number(whole: str, part: str) -> bool:
    over, slash, under = part.partition("/")
    return (
        bool(slash) and all(one.isdecimal() and len(one) < 5 for one in (whole, over, under)) and int(over) < int(under)
    )


def _choose_gap(before: str, after: str, left: Role, right: Role) -> str:
    """Choose the text between two terms."""
    if "space" in (left, right) or before[-1:].isspace() or after[:1].isspace():
        return ""
    if "tight" in (left, right) or left in ("prefix", "open") or right in ("close", "postfix", "separator"):
        return ""
    if left == "large" and right == "open" and _ENDS_IN_LETTER.search(before[-2:]):
        return ""  # a function and its argument
    if "infix" in (left, right) or left in ("separator", "large") or (right == "large" and left != "open"):
        return " "
    return " " if _would_fuse(before, after) else ""


def _would_fuse(before: str, after: str) -> bool:
    """Whether two factors would read as one word or number, or an exponent would be taken by the wrong one."""
    last, first = before[-1], after[0]
    if first in _RAISED or first in _LOWERED:
        return last.isalnum()
    if first.isdigit():
        return last.isdigit() or last in _CLOSE or bool(_ENDS_IN_WORD.search(before[-90:]))
    if _BEGINS_WITH_WORD.match(after):
        return last.isalnum() or last in _CLOSE
    return (first.isalnum() or first == "√") and bool(_ENDS_IN_WORD.search(before[-90:]))
