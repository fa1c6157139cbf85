"""Types of the columns of text files, by their values: text becomes numbers or dates only if no value loses anything.

Values are grouped by their shapes, in which every digit is a 9: `9999-99-99`. A column of a million values has a few
shapes, and they decide: a leading zero keeps `00501` a text, `12,5` makes `1.234` next to it a thousand, a 13 says
which part of `01/02/2024` is the day. What no value decides stays text, and a note says what to write into the file of
options (`reading_options.py`). Notes contain no values: they are shown even where values may not be.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

from elcano.graphs.text import format_count

Order: TypeAlias = Literal["day first", "month first"]
Sign: TypeAlias = Literal["decimal point", "decimal comma"]
Choice: TypeAlias = Literal["text", "number", "decimal point", "decimal comma", "day first", "month first"]
"""Type that an operator may declare for a column."""
SHAPE_CHARACTERS: Final = 45
"""Longer values are text: no type of DuckDB holds a longer number without loss."""
_INTEGER: Final = re.compile(r"-?(9+)")
_NUMBER: Final = re.compile(r"-?(?=[9.,])(?:9{1,3}(?P<group>[.,])9{3}(?:(?P=group)9{3})*|9*)(?:(?!(?P=group))[.,]9+)?")
_CODE: Final = re.compile(r"9{3}(?:\.9{3}){2,}")
_EXPONENT: Final = re.compile(r"-?9(?:\.9+)?[eE][+-]9{1,3}")
_ISO_DATE: Final = re.compile(r"9999-99-99")
_ISO_TIME: Final = re.compile(
    r"9999-99-99[T ]99:99(?::99(?:\.(?P<part>9{1,9}))?)?(?P<zone> ?(?:Z|UTC|[+-]99(?::?99)?))?"
)
_CLOCK: Final = re.compile(r"99:99:99(?:\.9{1,6})?")
_SLASHED: Final = re.compile(
    r"(?P<first>9{1,2})(?P<sign>[/.-])(?P<second>9{1,2})(?P=sign)9999(?P<time>[ T]99?:99(?::99)?)?"
)
_LARGEST: Final = 38
"""Digits of DuckDB's widest exact number."""
_EXACT_PLACES: Final = 6
"""Numbers that all have as many decimals are kept with them up to this many, as prices and versions have them."""
_EXACT_DIGITS: Final = 15
"""Digits that a floating number holds in any case."""
_MOSTLY: Final = 0.5
"""Share of a column from which the other values are worth a note."""


class Shape(NamedTuple):
    """Values of a column that differ in their digits alone."""

    text: str
    """With every digit a 9; empty: neither a number nor a date, or too long for one."""
    values: int
    lowest: str
    highest: str
    ends_in_zero: bool
    """Whether one of them does."""
    highest_third: str
    """The highest of what begins with the third character."""
    highest_fourth: str


@dataclass(frozen=True)
class ColumnReading:
    """Interpretation of a column of texts."""

    type: str = "VARCHAR"
    value: str = "{text}"
    """SQL of a value, which is null where there is none; `{text}` is the text of the cell without spaces around it."""
    check: str = ""
    """SQL that is true of a `{text}` from which nothing is lost in its `{value}`; empty: it is true of all."""
    note: str = ""
    """Note on how the column was interpreted, a clause; empty: nothing to interpret."""
    open: bool = False
    """Whether the operator has to say what its values mean."""
    by_others: bool = False
    """Whether other columns decided it."""


@dataclass(frozen=True)
class Conventions:
    """Conventions of numbers and dates that hold in all columns of a file."""

    signs: frozenset[Sign] = frozenset()
    orders: Mapping[str, frozenset[Order]] = field(default_factory=dict)
    """By the character between the parts of a date."""


def find_conventions(columns: Sequence[Sequence[Shape]]) -> Conventions:
    """Find the conventions of columns with a value that decides, for those without one."""
    signs: set[Sign] = set()
    orders: dict[str, set[Order]] = {}
    for shapes in columns:
        if shapes and all(_NUMBER.fullmatch(shape.text) or _EXPONENT.fullmatch(shape.text) for shape in shapes):
            signs |= _find_signs(shapes)
        elif shapes and all(_SLASHED.fullmatch(shape.text) for shape in shapes):
            orders.setdefault(_match(_SLASHED, shapes[0])["sign"], set()).update(_find_orders(shapes))
    return Conventions(frozenset(signs), {sign: frozenset(found) for sign, found in orders.items()})


def choose_reading(shapes: Sequence[Shape], known: Conventions, choice: Choice | None = None) -> ColumnReading:
    """Choose the interpretation of a column with values of these shapes.

    Args:
        shapes: of all its values; empty: it has none.
        known: what other columns of the file say.
        choice: what the operator said of it.
    """
    if choice == "text" or not shapes:
        return ColumnReading()
    texts = [shape.text for shape in shapes]
    if all(_NUMBER.fullmatch(text) or _EXPONENT.fullmatch(text) for text in texts):
        return _read_numbers(shapes, known, choice)
    if all(text.lower() in ("true", "false") for text in texts):
        return ColumnReading("BOOLEAN", "TRY_CAST({text} AS BOOLEAN)", "lower({text}) IN ('true', 'false')")
    if all(_ISO_DATE.fullmatch(text) for text in texts):
        return _cast_reading("DATE")
    if all(_CLOCK.fullmatch(text) for text in texts):
        return ColumnReading("TIME", "TRY_CAST({text} AS TIME)", "{value} IS NOT NULL")
    if all(_ISO_TIME.fullmatch(text) for text in texts):
        return _read_timestamps(shapes)
    if all(_SLASHED.fullmatch(text) for text in texts):
        return _read_slashed_dates(shapes, known, choice)
    return ColumnReading(note=_describe_mixture(shapes))


def _describe_mixture(shapes: Sequence[Shape]) -> str:
    """Why a column is text although many of its values are not; empty: most of them are."""
    total = sum(shape.values for shape in shapes)
    for what, forms in (("numbers", (_NUMBER, _EXPONENT)), ("dates", (_ISO_DATE, _ISO_TIME, _SLASHED))):
        fitting = sum(shape.values for shape in shapes if any(form.fullmatch(shape.text) for form in forms))
        if _MOSTLY * total <= fitting < total:
            return f"text, because only {fitting:,} of {format_count(total, 'value')} can be {what}"
    if any(_ISO_TIME.fullmatch(shape.text) for shape in shapes) and any(_ISO_DATE.fullmatch(s.text) for s in shapes):
        return "text, because dates with and without a time of day are mixed"
    return ""


def describe_misfit(reading: ColumnReading) -> str:
    """The note of a column with a value that looks like the others and has no such value: a 31 February."""
    return f"text, because not all values that look like {reading.type} are valid, or some would lose digits"


def _match(form: re.Pattern[str], shape: Shape) -> re.Match[str]:
    found = form.fullmatch(shape.text)
    assert found is not None
    return found


def _cast_reading(kind: str, note: str = "") -> ColumnReading:
    """Values that are written as DuckDB itself writes them."""
    return ColumnReading(kind, f"TRY_CAST({{text}} AS {kind})", "CAST({value} AS VARCHAR) = {text}", note)


def _read_numbers(shapes: Sequence[Shape], known: Conventions, choice: Choice | None) -> ColumnReading:
    if choice in ("day first", "month first"):
        return ColumnReading()
    plain = [shape for shape in shapes if _INTEGER.fullmatch(shape.text)]
    if any(_begins_with_zero(shape) for shape in shapes) and choice != "number":
        return ColumnReading(note="text, because some values begin with a zero, as codes do")
    if len(plain) == len(shapes):
        return _read_integers(plain, keeps_zeros=choice != "number")
    own = _find_signs(shapes)
    if choice in ("decimal point", "decimal comma"):
        sign: Sign = "decimal point" if choice == "decimal point" else "decimal comma"
        if own - {sign}:
            return ColumnReading(note=f"text, because its values do not fit {choice!r}", open=True)
        return _read_decimals(shapes, sign, choice, note="")
    if len(own) > 1:
        return ColumnReading(note="text, because some values have a decimal comma and others a decimal point")
    if own and all(_CODE.fullmatch(shape.text) for shape in shapes):
        text = "text, because values such as 123.456.789 may be codes or addresses: say 'decimal comma' if not"
        return ColumnReading(note=text, open=True)
    if own:
        return _read_decimals(shapes, next(iter(own)), choice, note="")
    if len(known.signs) == 1:
        sign = next(iter(known.signs))
        return _read_decimals(shapes, sign, choice, note=", as in other columns")
    mark = "," if "," in shapes[0].text else "."
    why = f"text, because values such as 1{mark}234 may be thousands or have three decimals"
    return ColumnReading(note=f"{why}: say 'decimal point' or 'decimal comma'", open=True)


def _begins_with_zero(shape: Shape) -> bool:
    digits = shape.lowest.removeprefix("-")
    return digits[:1] == "0" and (digits[1:2].isdigit() or len(re.findall("[.,]", digits)) > 1)


def _read_integers(shapes: Sequence[Shape], *, keeps_zeros: bool) -> ColumnReading:
    digits = max(len(_match(_INTEGER, shape)[1]) for shape in shapes)
    if digits > _LARGEST:
        return ColumnReading(note=f"text, because some numbers have more than {_LARGEST} digits")
    kind = "BIGINT" if digits <= 18 else "HUGEINT"
    if keeps_zeros:
        return _cast_reading(kind)
    note = "numbers without the zeros before them, as the options say"
    return ColumnReading(kind, f"TRY_CAST({{text}} AS {kind})", "{value} IS NOT NULL", note)


def _find_signs(shapes: Sequence[Shape]) -> set[Sign]:
    """Find the decimal signs that numbers of a column prove: `12,5`, `0.123`, `1234.567` and `1.234.567` do.

    `1.234` does not, unless another number has four digits without a sign among them.
    """
    found: set[Sign] = set()
    ungrouped = any((one := _INTEGER.fullmatch(shape.text)) and len(one[1]) > 3 for shape in shapes)
    for shape in shapes:
        if _EXPONENT.fullmatch(shape.text):
            found |= {"decimal point"} if "." in shape.text else set()
            continue
        marks = re.findall(r"[.,]", shape.text)
        if not marks:
            continue
        whole, _, part = shape.text.removeprefix("-").rpartition(marks[-1])
        if len(set(marks)) > 1:  # 1,234.5
            decides = True
        elif len(marks) > 1:  # 1.234.567
            found.add("decimal comma" if marks[0] == "." else "decimal point")
            continue
        else:
            zero = whole == "9" and shape.lowest.removeprefix("-").startswith("0")
            decides = len(part) != 3 or not 1 <= len(whole) <= 3 or zero or ungrouped
        if decides:
            found.add("decimal point" if marks[-1] == "." else "decimal comma")
    return found


def _read_decimals(shapes: Sequence[Shape], sign: Sign, choice: Choice | None, note: str) -> ColumnReading:
    mark, group = (".", ",") if sign == "decimal point" else (",", ".")
    text = "{text}"
    grouped = any(group in shape.text for shape in shapes)
    if grouped:
        text = f"replace({text}, '{group}', '')"
    if mark == ",":
        text = f"replace({text}, ',', '.')"
    said = f"a {sign}" if mark == "," or note else ""
    reads = " and ".join(filter(None, (said, "grouped thousands" if grouped else "")))
    how = f"numbers with {reads}{note}" if reads else ""
    fitted = [shape.text.removeprefix("-").replace(group, "") for shape in shapes]
    if any(_EXPONENT.fullmatch(shape.text) for shape in shapes):
        return ColumnReading("DOUBLE", f"TRY_CAST({text} AS DOUBLE)", "isfinite({value})", how)
    places = {len(one.partition(mark)[2]) for one in fitted}
    whole = max(len(one.partition(mark)[0]) for one in fitted)
    decimals = places - {0}
    whole_form = "[0-9]*" if choice == "number" else "(0|[1-9][0-9]*)?"
    if grouped:
        whole_form = f"({whole_form}|[1-9][0-9]{{0,2}}([{group}][0-9]{{3}})+)"
    if len(decimals) < 2 and (most := max(places)) <= _EXACT_PLACES and whole + most <= _LARGEST:
        kind = f"DECIMAL({max(whole, 1) + most}, {most})" if decimals else "BIGINT" if whole <= 18 else "HUGEINT"
        form = f"-?{whole_form}([{mark}][0-9]{{{most}}})?"
        exact = "true"
    else:
        pairs = list(zip(shapes, fitted, strict=True))
        if choice is None and any(shape.ends_in_zero and len(one.partition(mark)[2]) > 1 for shape, one in pairs):
            why = "text, because values have different numbers of decimals and some end in a zero, as versions do"
            return ColumnReading(note=f"{why}: say 'number' if they are numbers", open=True)
        kind = "DOUBLE"
        form = f"-?{whole_form}([{mark}]([0-9]{'+' if choice else '|[0-9]*[1-9]'}))?"
        exact = f"(length({text}) <= {_EXACT_DIGITS} OR CAST({{value}} AS VARCHAR) = {text})"
    check = f"regexp_full_match({{text}}, '{form}') AND {{value}} IS NOT NULL AND {exact}"
    return ColumnReading(kind, f"TRY_CAST({text} AS {kind})", check, how, by_others=bool(note))


def _read_timestamps(shapes: Sequence[Shape]) -> ColumnReading:
    found = [_match(_ISO_TIME, shape) for shape in shapes]
    zones = {bool(one["zone"]) for one in found}
    fine = any(len(one["part"] or "") > 6 for one in found)
    if len(zones) > 1 or (fine and True in zones):
        return ColumnReading(note="text, because times with and without a time zone are mixed, or are too fine for one")
    if True in zones:
        return ColumnReading("TIMESTAMPTZ", "TRY_CAST({text} AS TIMESTAMPTZ)", "{value} IS NOT NULL")
    kind = "TIMESTAMP_NS" if fine else "TIMESTAMP"
    check = "CAST(CAST({value} AS DATE) AS VARCHAR) = left({text}, 10)"
    return ColumnReading(kind, f"TRY_CAST({{text}} AS {kind})", check)


def _find_orders(shapes: Sequence[Shape]) -> set[Order]:
    """Which part of dates is the day, as far as a value above 12 says so."""
    found: set[Order] = set()
    for shape in shapes:
        width = len(_match(_SLASHED, shape)["first"])
        if int(shape.highest[:width]) > 12:
            found.add("day first")
        second = shape.highest_third if width == 1 else shape.highest_fourth
        if int(re.split(r"\D", second)[0]) > 12:
            found.add("month first")
    return found


def _read_slashed_dates(shapes: Sequence[Shape], known: Conventions, choice: Choice | None) -> ColumnReading:
    found = [_match(_SLASHED, shape) for shape in shapes]
    marks = {one["sign"] for one in found}
    clocks = {(one["time"] or "").count(":") for one in found}
    if len(marks) > 1 or len(clocks) > 1:
        return ColumnReading(note="text, because its dates are written in several ways")
    mark, own = next(iter(marks)), _find_orders(shapes)
    if len(own) > 1:
        return ColumnReading(note="text, because some dates have the day first and others the month")
    others = known.orders.get(mark, frozenset())
    order: Order
    if choice in ("day first", "month first"):
        order, why = ("day first" if choice == "day first" else "month first"), "the options say so"
        if own - {order}:
            return ColumnReading(note=f"text, because its values do not fit {choice!r}", open=True)
    elif own:
        order, why = next(iter(own)), "a value is above 12"
    elif len(others) == 1:
        order, why = next(iter(others)), "other columns have them so"
    else:
        text = "text, because day and month cannot be told apart: say 'day first' or 'month first'"
        return ColumnReading(note=text, open=True)
    day = f"%d{mark}%m{mark}%Y" if order == "day first" else f"%m{mark}%d{mark}%Y"
    between = "T" if any("T" in (one["time"] or "") for one in found) else " "
    clock = {0: "", 1: f"{between}%H:%M", 2: f"{between}%H:%M:%S"}[next(iter(clocks))]
    kind = "TIMESTAMP" if clock else "DATE"
    moment = f"try_strptime({{text}}, '{day}{clock}')"
    return ColumnReading(
        kind,
        f"CAST({moment} AS {kind})",
        "{value} IS NOT NULL",
        f"dates with the {order}, because {why}",
        by_others=not own and choice is None,
    )
