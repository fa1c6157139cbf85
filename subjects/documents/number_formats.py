"""Numbers of spreadsheets as the spreadsheet shows them: by the format codes of Office Open XML.

A code has up to four sections, for positive and negative numbers, zero and text. What depends on the language of the
program that shows it is written as ISO 8601 for dates and with a decimal point and commas for numbers.
"""

import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import Final, NamedTuple

BUILT_IN: Final = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?",
    13: "# ??/??", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM",
    20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 37: "#,##0;(#,##0)", 38: "#,##0;(#,##0)",
    39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;(#,##0.00)", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0",
    49: "@",
}  # fmt: skip
"""Codes by their numbers in a file. 14 and 22 are the date of the reader's language: as ISO 8601."""
_CODE_CHARACTERS: Final = 255
"""Excel takes no longer code."""
_TOKEN: Final = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_.|\*.|\[\$(?P<currency>[^\]\-]*)(?:-[^\]]*)?\]'
    r"|\[(?P<elapsed>h+|m+|s+)\]|\[(?P<condition>[<>=]{1,2}-?[\d.]+)\]|\[[^\]]*\]"
    r"|(?P<meridiem>AM/PM|A/P)|(?P<general>General)|(?P<exponent>E[+-])|(?P<date>y+|m+|d+|h+|s+(?:\.0+)?|e+|g+|b+)"
    r"|(?P<digits>[0#?.,]+)|(?P<slash>/)|(?P<percent>%)|(?P<text>@)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_LARGEST_DAY: Final = 2_958_466
"""1 January 10000: a larger number is no date."""
_FIFTEEN_DIGITS: Final = Context(prec=15, rounding=ROUND_HALF_UP)
"""Spreadsheets show no more digits of a number, so 0.1 + 0.2 is 0.3."""


class _Token(NamedTuple):
    kind: str
    text: str


class _Section(NamedTuple):
    tokens: tuple[_Token, ...]
    condition: str

    def has(self, *kinds: str) -> bool:
        return any(token.kind in kinds for token in self.tokens)


def is_date_code(code: str) -> bool:
    """Whether numbers with this format are dates or times."""
    sections = _parse_code(code)
    return sections[0].has("date", "elapsed") and not sections[0].has("digits")


def format_number(value: float, code: str = "General", *, from_1904: bool = False) -> str:
    """Return a number as a spreadsheet shows it.

    Args:
        value: the number.
        code: its format.
        from_1904: whether days are counted from 1904, as old programs for the Mac did.
    """
    sections = _parse_code(code)
    section, number, signed = _choose_section(sections, value)
    if section.has("date", "elapsed", "meridiem"):
        return _format_date(value, section, from_1904)
    if section.has("digits", "general", "percent", "exponent"):
        shown = _format_decimal(number, section)
        return f"-{shown}" if signed and re.search(r"[1-9]", shown) else shown
    if section.has("text"):
        return _write_general(Decimal(repr(value)))
    return "".join(token.text for token in section.tokens if token.kind == "literal").strip()


def format_text(text: str, code: str) -> str:
    """Return a text as a cell with this format shows it: `;;;` shows nothing."""
    sections = _parse_code(code)
    if len(sections) < 4:
        return text
    return "".join(text if token.kind == "text" else token.text for token in sections[3].tokens)


@lru_cache(1_000)
def _parse_code(code: str) -> tuple[_Section, ...]:
    sections: list[_Section] = []
    tokens: list[_Token] = []
    condition = ""
    for found in _TOKEN.finditer(code[:_CODE_CHARACTERS] or "General"):
        kind = found.lastgroup or ""
        if found[0] == ";":
            sections.append(_Section(tuple(tokens), condition))
            tokens, condition = [], ""
        elif kind == "condition":
            condition = found[kind]
        elif kind in ("quoted", "escaped", "currency", "other"):
            tokens.append(_Token("literal", found[kind]))
        elif kind:
            tokens.append(_Token(kind, found[kind]))
        elif found[0].startswith("_"):
            tokens.append(_Token("literal", " "))
    return (*sections, _Section(tuple(tokens), condition))


def _choose_section(sections: tuple[_Section, ...], value: float) -> tuple[_Section, Decimal, bool]:
    """The section for a number, what it shows of it, and whether a minus sign is before it."""
    number = Decimal(repr(value))
    if any(section.condition for section in sections):
        for section in sections:
            if not section.condition or _holds(number, section.condition):
                return section, abs(number), number < 0
        return sections[-1], abs(number), number < 0
    if value < 0 and len(sections) > 1 and sections[1].tokens:
        return sections[1], abs(number), False
    if not value and len(sections) > 2 and sections[2].tokens:
        return sections[2], number, False
    return sections[0], abs(number), value < 0


def _holds(number: Decimal, condition: str) -> bool:
    sign, limit = condition.rstrip("0123456789.-"), Decimal(condition.lstrip("<>="))
    return {
        "<": number < limit, "<=": number <= limit, ">": number > limit, ">=": number >= limit, "=": number == limit,
        "<>": number != limit,
    }.get(sign, False)  # fmt: skip


def _format_decimal(number: Decimal, section: _Section) -> str:
    codes = [token.text for token in section.tokens if token.kind == "digits"]
    code = "".join(codes)
    number *= Decimal(100) ** sum(token.kind == "percent" for token in section.tokens)
    number /= Decimal(1000) ** (len(code) - len(code.rstrip(",")))
    number = _FIFTEEN_DIGITS.plus(number)
    if section.has("slash") and len(codes) > 1:
        return _format_fraction(number, section)
    if section.has("exponent"):
        written = _format_exponent(number, codes)
    elif section.has("general"):
        written = _write_general(number)
    else:
        written = _write_digits(number, code)
        if len(codes) > 1 and "." not in code:
            return _spread_digits(section, codes, written)
    return _fill_in(section, written)


def _spread_digits(section: _Section, codes: list[str], written: str) -> str:
    """Digits with other characters between them, as in telephone numbers: filled in from the right."""
    pieces: list[str] = []
    for code in reversed(codes[1:]):
        written, piece = written[: -len(code)], written[-len(code) :]
        pieces.append(piece)
    pieces.append(written)
    shown = (pieces.pop() if token.kind == "digits" else token.text for token in section.tokens)
    return " ".join("".join(shown).split())


def _fill_in(section: _Section, written: str) -> str:
    parts: list[str] = []
    done = False
    for token in section.tokens:
        if token.kind in ("digits", "general", "exponent"):
            parts.append("" if done else written)
            done = True
        else:
            parts.append("%" if token.kind == "percent" else token.text)
    return " ".join("".join(parts).split())


def _write_general(number: Decimal) -> str:
    """A number without a format: with as many digits as fit into eleven characters, as Excel shows it in a wide column.

    Whole numbers are written out as far as they are exact, which Excel does where they are edited.
    """
    if number == number.to_integral_value() and abs(number) < Decimal(10) ** 15:
        return str(int(number))
    places = max(11 - len(str(int(abs(number)))) - 1, 0)
    rounded = number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, Context(prec=400))
    exact = rounded == _FIFTEEN_DIGITS.plus(number)
    if abs(number) < Decimal(10) ** 15 and (abs(number) >= Decimal("1e-4") or (exact and rounded)):
        return f"{rounded:f}".rstrip("0").rstrip(".") if places else f"{rounded:f}"
    mantissa, _, exponent = f"{Context(prec=6, rounding=ROUND_HALF_UP).plus(number):E}".partition("E")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}E{int(exponent):+03d}"


def _write_digits(number: Decimal, code: str) -> str:
    whole_code, _, part_code = code.rstrip(",").partition(".")
    places = sum(character in "0#?" for character in part_code)
    least = sum(character in "0?" for character in part_code)
    rounded = number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP, Context(prec=400))
    whole, _, part = f"{rounded:f}".partition(".")
    while len(part) > least and part.endswith("0"):
        part = part[:-1]
    whole = whole.lstrip("0").rjust(sum(character == "0" for character in whole_code), "0")
    if "," in whole_code:
        whole = re.sub(r"(?<=\d)(?=(?:\d{3})+$)", ",", whole)
    return (
        f"{whole or 0}."
        if "." in code and not part_code
        else f"{whole}.{part}"
        if part
        else whole or ("" if part_code else "0")
    )


def _format_exponent(number: Decimal, codes: list[str]) -> str:
    mantissa_code = codes[0] if codes else "0"
    step = max(sum(character in "0#" for character in mantissa_code.partition(".")[0]), 1)
    exponent = number.adjusted() // step * step if number else 0
    mantissa = _write_digits(number.scaleb(-exponent), mantissa_code)
    digits = len(codes[1]) if len(codes) > 1 else 1
    return f"{mantissa}E{'-' if exponent < 0 else '+'}{abs(exponent):0{digits}d}"


def _format_fraction(number: Decimal, section: _Section) -> str:
    codes = [token.text for token in section.tokens if token.kind == "digits"]
    below = codes[-1]
    whole = int(number) if len(codes) > 2 else 0
    rest = number - whole
    if below.isdigit() and int(below):
        over, under = int((rest * int(below)).to_integral_value(ROUND_HALF_UP)), int(below)
    else:
        most = min(10 ** len(below), 1_000)
        over, under = min(
            ((int((rest * one).to_integral_value(ROUND_HALF_UP)), one) for one in range(1, most)),
            key=lambda pair: (abs(Decimal(pair[0]) / pair[1] - rest), pair[1]),
        )
    if over == under and len(codes) > 2:
        whole, over = whole + 1, 0
    fraction = f"{over}/{under}" if over or len(codes) < 3 else ""
    return f"{whole} {fraction}".strip() if whole or not fraction else fraction


def _format_date(value: float, section: _Section, from_1904: bool) -> str:
    if value < 0 and section.has("elapsed"):
        return f"-{_format_date(-value, section, from_1904)}"
    if not 0 <= value < _LARGEST_DAY:
        return _write_general(Decimal(repr(value)))
    seconds_shown = any(token.text.lower().startswith("s") for token in section.tokens if token.kind == "date")
    places = max((len(token.text.partition(".")[2]) for token in section.tokens if token.kind == "date"), default=0)
    total = round(value * 86_400, places) if seconds_shown else round(value * 86_400)
    # Excel takes 1900 for a leap year: its day 60 never was, and the days before it are one day off.
    start = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 31 if value < 60 else 30)
    moment = start + timedelta(seconds=total)
    parts: list[str] = []
    for number, token in enumerate(section.tokens):
        if token.kind == "date":
            parts.append(_write_date_part(token.text, moment, section, number))
        elif token.kind == "elapsed":
            unit = {"h": 3600, "m": 60, "s": 1}[token.text[0].lower()]
            parts.append(str(int(total // unit)).rjust(len(token.text), "0"))
        elif token.kind == "meridiem":
            name = "AM" if moment.hour < 12 else "PM"
            parts.append(name[: 1 if len(token.text) == 3 else 2])
        elif token.kind != "text":
            parts.append(token.text)
    return " ".join("".join(parts).split())


def _write_date_part(code: str, moment: datetime, section: _Section, number: int) -> str:
    letter, length = code[0].lower(), len(code.partition(".")[0])
    places = len(code.partition(".")[2])
    if letter == "m" and _is_minute(section, number):
        return f"{moment.minute:0{min(length, 2)}d}"
    if letter == "h":
        hour = (moment.hour % 12 or 12) if section.has("meridiem") else moment.hour
        return f"{hour:0{min(length, 2)}d}"
    if letter == "s":
        fraction = f".{moment.microsecond:06d}"[: places + 1] if places else ""
        return f"{moment.second:0{min(length, 2)}d}{fraction}"
    if letter in "ye":
        return f"{moment.year:04d}" if length > 2 or letter == "e" else f"{moment.year % 100:02d}"
    if letter in "gb":
        return ""
    names, at = (_MONTHS, moment.month - 1) if letter == "m" else (_DAYS, moment.weekday())
    value = moment.month if letter == "m" else moment.day
    if length <= 2:
        return f"{value:0{length}d}"
    return names[at][:1] if length == 5 else names[at] if length == 4 else names[at][:3]


def _is_minute(section: _Section, number: int) -> bool:
    """Whether the `m` of a date is minutes: hours are before it, or seconds behind it."""
    letters = [
        (at, token.text[0].lower()) for at, token in enumerate(section.tokens) if token.kind in ("date", "elapsed")
    ]
    place = next(order for order, (at, _) in enumerate(letters) if at == number)
    before = letters[place - 1][1] if place else ""
    after = letters[place + 1][1] if place + 1 < len(letters) else ""
    return before == "h" or after == "s"
