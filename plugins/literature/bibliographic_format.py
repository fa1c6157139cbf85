"""How services write titles, names, dates and languages, in the one way in which a work has them."""

import re
from typing import Final

_MONTH_NAMES: Final = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS: Final = {month: at for at, month in enumerate(_MONTH_NAMES.split(), start=1)}
_YEARS: Final = re.compile(r"(?<!\d)([12]\d{3})(?!\d)")
_TRANSLATED: Final = re.compile(r"\[(.+?)\]?\.?\]?")
_LANGUAGE_CODES: Final = """
eng:en fre:fr fra:fr ger:de deu:de spa:es ita:it por:pt rus:ru jpn:ja chi:zh zho:zh kor:ko pol:pl dut:nl nld:nl swe:sv
dan:da nor:no fin:fi cze:cs ces:cs hun:hu tur:tr gre:el ell:el heb:he ara:ar per:fa fas:fa hrv:hr srp:sr slo:sk slk:sk
slv:sl rum:ro ron:ro bul:bg ukr:uk lit:lt lav:lv est:et ice:is isl:is cat:ca tha:th vie:vi ind:id may:ms msa:ms hin:hi
und: mul: mis: zxx:
"""
"""The codes of libraries (ISO 639-2, both kinds) that have a short one; those that name no language are empty."""
_LANGUAGES: Final = dict(pair.split(":") for pair in _LANGUAGE_CODES.split())


def clean_title(text: str, *, translated: bool = False) -> str:
    """A title without the full stop that libraries put after it and, if it is `translated`, without its brackets."""
    plain = " ".join(text.split())
    if translated and plain.startswith("[") and (found := _TRANSLATED.fullmatch(plain)):
        plain = found[1].strip()
    return plain.removesuffix(".") if not plain.endswith("..") else plain


def format_author_name(family: str, given: str, suffix: str = "") -> str:
    """`Family, Given`, as far as they are known."""
    return ", ".join(part for part in (" ".join(f"{family} {suffix}".split()), " ".join(given.split())) if part)


def format_publication_date(year: str, month: str = "", day: str = "") -> str:
    """`2024`, `2024-05` or `2024-05-17`, as exactly as it is known; empty without a year.

    Args:
        year: digits, or a range as `2023 Nov-2024 Jan`, of which the first year is taken.
        month: a number or an English name.
        day: a number.
    """
    found = _YEARS.search(year)
    if found is None:
        return ""
    number = _parse_bounded_number(month, 12) or _MONTHS.get(month.strip()[:3].lower(), 0)
    if not number:
        return found[1]
    return f"{found[1]}-{number:02}" + (f"-{days:02}" if (days := _parse_bounded_number(day, 31)) else "")


def normalize_iso_date(iso: str) -> str:
    """`2024-05-17`, or its beginning, as far as it is a date; empty if it is none."""
    year, month, day = [*iso.strip()[:10].split("-"), "", ""][:3]
    return format_publication_date(year, month, day)


def year_of(date: str) -> int | None:
    """The year that a date begins with, if it is one."""
    found = _YEARS.match(date)
    return int(found[1]) if found else None


def normalize_language_code(code: str) -> str:
    """A language as `en`; a code that is not known here stays as it is."""
    plain = code.strip().lower()
    return _LANGUAGES.get(plain, plain)


def _parse_bounded_number(text: str, most: int) -> int:
    """The number from 1 to `most` that `text` is; 0 if it is none."""
    plain = text.strip()
    number = int(plain) if plain.isascii() and plain.isdigit() and len(plain) <= 2 else 0
    return number if number <= most else 0
