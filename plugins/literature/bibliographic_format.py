"""Normalizes titles, names, dates, languages and licences as services write them to the form of `Work`."""

import re
from typing import Final
from urllib.parse import quote

_MONTH_NAMES: Final = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS: Final = {month: at for at, month in enumerate(_MONTH_NAMES.split(), start=1)}
_YEARS: Final = re.compile(r"(?<!\d)([12]\d{3})(?!\d)")
_ISO_DATE: Final = re.compile(r"\s*([12]\d{3})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?!\d)")
_TRANSLATED: Final = re.compile(r"\[(.+?)\]?\.?\]?")
_CREATIVE_COMMONS: Final = re.compile(
    r"(?:https?://(?:www\.)?creativecommons\.org/(?:licenses/|publicdomain/)?|cc-)"
    r"(by(?:-nc)?(?:-nd|-sa)?|zero|0|mark)(?![a-z])(?:/(\d\.\d))?.*",
    re.IGNORECASE,
)
_LANGUAGE_CODES: Final = """
eng:en fre:fr fra:fr ger:de deu:de spa:es ita:it por:pt rus:ru jpn:ja chi:zh zho:zh kor:ko pol:pl dut:nl nld:nl swe:sv
dan:da nor:no fin:fi cze:cs ces:cs hun:hu tur:tr gre:el ell:el heb:he ara:ar per:fa fas:fa hrv:hr srp:sr slo:sk slk:sk
slv:sl rum:ro ron:ro bul:bg ukr:uk lit:lt lav:lv est:et ice:is isl:is cat:ca tha:th vie:vi ind:id may:ms msa:ms hin:hi
und: mul: mis: zxx:
"""
"""Library codes (ISO 639-2, both kinds) that have a short one; those that name no language are empty."""
_LANGUAGES: Final = dict(pair.split(":") for pair in _LANGUAGE_CODES.split())


def clean_title(text: str, *, translated: bool = False) -> str:
    """Remove the full stop that libraries put after a title and, if it is `translated`, its brackets."""
    plain = " ".join(text.split())
    if translated and plain.startswith("[") and (found := _TRANSLATED.fullmatch(plain)):
        plain = found[1].strip()
    return plain.removesuffix(".") if not plain.endswith("..") else plain


def format_author_name(family: str, given: str, suffix: str = "") -> str:
    """Format a name as `Family, Given`, as far as the parts are known."""
    return ", ".join(part for part in (" ".join(f"{family} {suffix}".split()), " ".join(given.split())) if part)


def format_page_range(first: str, last: str) -> str:
    """Format pages as `10-19`, or `10` if there is one page or the last one is unknown."""
    return f"{first}-{last}" if first and last and first != last else first


def format_doi_url(doi: str) -> str:
    """Return the address of a DOI; empty without one."""
    return f"https://doi.org/{quote(doi, safe='/:;().')}" if doi else ""


def format_date(year: object, month: object = "", day: object = "") -> str:
    """Format a date as `2024`, `2024-05` or `2024-05-17`, as exactly as it is known; empty without a year.

    Args:
        year: a number, its digits, or a range as `2023 Nov-2024 Jan`, of which the first year is taken.
        month: a number or an English name.
        day: a number.
    """
    found = _YEARS.search(str(year))
    if found is None:
        return ""
    number = _parse_bounded_number(month, 12) or _MONTHS.get(str(month).strip()[:3].lower(), 0)
    if not number:
        return found[1]
    return f"{found[1]}-{number:02}" + (f"-{days:02}" if (days := _parse_bounded_number(day, 31)) else "")


def parse_iso_date(text: str) -> str:
    """Return the date at the beginning of a text such as `2024-05-17T12:00`, as far as it is valid; else empty."""
    found = _ISO_DATE.match(text)
    return format_date(*(part or "" for part in found.groups())) if found else ""


def parse_year(date: str) -> int | None:
    """Return the year of a date in the form of `format_date`."""
    return int(date[:4]) if date else None


def normalize_language_code(code: str) -> str:
    """Return a language as `en`; an unknown code stays as it is."""
    plain = code.strip().lower()
    return _LANGUAGES.get(plain, plain)


def normalize_licence_name(given: str) -> str:
    """Return the name of a licence, `CC BY 4.0`, if `given` is the address or the code of a known one; else `given`."""
    found = _CREATIVE_COMMONS.fullmatch(given)
    if found is None:
        return given
    kind, version = found[1].lower(), found[2]
    name = {"zero": "CC0", "0": "CC0", "mark": "Public Domain Mark"}.get(kind, f"CC {kind.upper()}")
    return f"{name} {version}" if version else name


def _parse_bounded_number(given: object, most: int) -> int:
    """Parse `given` as a number from 1 to `most`; 0 if it is none."""
    plain = str(given).strip()
    number = int(plain) if plain.isascii() and plain.isdigit() and len(plain) <= 2 else 0
    return number if number <= most else 0
