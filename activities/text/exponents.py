"""Writes raised and lowered text in plain characters: one notation for exponents and indices, whatever the source.

Digits and signs become superscripts and subscripts of Unicode (2⁶⁴, CO₂, 10⁻³), because run together with what stands
before them they would be other numbers. A raised expression that Unicode cannot write is put in brackets, `2^(n+1)`.
Lowered words stay as they are (Cmax): they say the same either way.
"""

import re
from typing import Final

LONGEST: Final = 60
"""Longer raised or lowered text is no exponent, it is text in small type."""

_SUPERSCRIPTS: Final = dict(zip("0123456789+-\u2212\u2013=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿ", strict=True))
_SUPERSCRIPT_LETTERS: Final = dict(zip("abcdefghijklmnoprstuvwxyzT", "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀ", strict=True))
_SUBSCRIPTS: Final = dict(zip("0123456789+-\u2212\u2013=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₋₌₍₎", strict=True))
_SUBSCRIPT_LETTERS: Final = dict(zip("aehijklmnoprstuvx", "ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))
_LOWERING: Final = str.maketrans(_SUBSCRIPTS)
_MARK: Final = re.compile(r"st|nd|rd|th|er|re|[eè]me|TM|SM|\[.*\]|[^\w+\-\u2212]*", re.IGNORECASE)
"""Superscripts that are no exponents: the ends of ordinal numbers, trademarks, notes in brackets, stars."""

_RAISED_RUN: Final = re.compile(r"[⁺⁻]?[⁰¹²³⁴-⁹]+")
_INDEX: Final = re.compile(r"(?<=[^\W\d_])[₀-₉]+(?!\d)")
_DIGITS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉⁺⁻", "01234567890123456789+-")


def raise_text(text: str) -> str:
    """`text`, which stands raised, as it is written on the line; the space around it stays."""
    core = text.strip()
    if not core or len(core) > LONGEST or _MARK.fullmatch(core):
        return text
    if core in _SUPERSCRIPT_LETTERS:
        written = _SUPERSCRIPT_LETTERS[core]
    elif _SUPERSCRIPTS.keys() >= set(core):
        written = "".join(map(_SUPERSCRIPTS.__getitem__, core))
    else:
        written = f"^({core})"
    return text.replace(core, written, 1)


def lower_text(text: str) -> str:
    """`text`, which stands lowered, as it is written on the line; the space around it stays."""
    core = text.strip()
    if not core or len(core) > LONGEST:
        return text
    return text.replace(core, _SUBSCRIPT_LETTERS.get(core) or core.translate(_LOWERING), 1)


def flatten_exponents(text: str) -> str:
    """`text` as it is searched: CO₂ is `CO2`, as people type it, and an exponent is a number of its own."""
    if text.isascii():
        return text
    return _RAISED_RUN.sub(lambda run: f" {run[0].translate(_DIGITS)}", _INDEX.sub(_convert_index_digits, text))


def _convert_index_digits(run: re.Match[str]) -> str:
    return run[0].translate(_DIGITS)
