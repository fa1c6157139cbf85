"""Whether the figures and names of a statement are in the words that it quotes: pure code, with reasons in words.

A figure is found if a quote has the same amount, however it is written and in whatever unit of the same thing. What the
question and the titles say need not be quoted. A statement may count what it cites, and may round if it says so. It
may count what it lists itself, as in “three ways: a, b and c”; footnote numbers that a PDF glued to words are taken
off. The figures of an inference may follow from what it names: as a sum, difference, product, ratio, share, change or
mean of two figures, or the sum of all. What takes more steps is not found: the statement between can be written down.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Final

from elcano.text.abbreviations import is_german_ordinal
from elcano.text.languages import possible_languages
from elcano.text.number_words import is_ambiguous
from elcano.text.phrases import ENGLISH
from elcano.text.support.computed_figures import (
    HALF,
    find_figure_ratios,
    follows_from_share,
    is_calendar_time,
    is_change_by_ratio,
    is_multiple_of_figures,
    is_year,
)
from elcano.text.support.derived_figures import MOST_OPERANDS, is_share_of_one, list_uncomputed, list_underived
from elcano.text.support.figure_comparison import (
    find_denied_counts,
    find_turned_changes,
    is_count_of_others,
    is_denied,
    is_in_parts,
    is_other_change,
    is_same_figure,
    is_shortened,
    read_by_thousands,
)
from elcano.text.support.figures import Figure, extract_figures, without_pointers
from elcano.text.support.flattened_quotes import read_lost_typesetting, restore_quotes, write_plain_letters
from elcano.text.support.fractions import find_ratios, is_same_share
from elcano.text.support.names import KnownNames, extract_names, named_in
from elcano.text.support.substitutions import find_changed_facts, is_label_in_other_digits
from elcano.text.units import SHARE, TIMES
from elcano.text.written_dates import parse_month_name

_UNIT: Final = re.compile(r"^[\d.,\s\u00a0]+")
_POINTED: Final = re.compile(r"(?<![\d.,])\d{1,2}\.(?=\s([^\W\d_]+))")
MOST_COUNTED: Final = 20
"""Number of things that a report may count without quoting their number."""


@dataclass(frozen=True)
class Statement:
    """A sentence, cell or item of a report with the words that it quotes."""

    text: str
    """Without marks of citations."""
    quotes: tuple[str, ...]
    known: tuple[str, ...] = ()
    """Text that it may use without quoting: the question, titles, headings, authors and dates of the cited works."""
    columns: tuple[str, ...] = ()
    """The quoted cells of each column of a table that it names, one text for each."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", write_plain_letters(self.text))
        object.__setattr__(self, "known", tuple(map(write_plain_letters, self.known)))

    @cached_property
    def readings(self) -> tuple[str, ...]:
        """The quotes, and what they may have been before they were flattened."""
        return restore_quotes(self.quotes)


@dataclass(frozen=True)
class MissingFacts:
    """Facts of a statement that none of its quotes has, each in words."""

    amounts: tuple[str, ...] = ()
    years: tuple[str, ...] = ()
    """Years alone, of which no other figure is said."""
    names: tuple[str, ...] = ()
    words: int = 0
    """The words of these names."""

    @property
    def reasons(self) -> tuple[str, ...]:
        """All of it."""
        return (*self.amounts, *self.years, *self.names)


def find_missing_facts(statement: Statement) -> MissingFacts:
    """Find figures and names of the statement that none of its quotes has."""
    unnamed, known = _find_unquoted_names(statement)
    figured = _find_unquoted_figures(statement)
    return MissingFacts(
        amounts=tuple(dict.fromkeys(why for one, why in figured if not is_year(one))),
        years=tuple(dict.fromkeys(why for one, why in figured if is_year(one))),
        names=tuple(ENGLISH.name_unquoted.format(said=name) for name in unnamed),
        words=sum(map(known.lacks, unnamed)),
    )


def figures_unquoted(statement: Statement, *, counting: bool = False, reviewed: bool = False) -> tuple[str, ...]:
    """The figures of the statement that none of its quotes has, in words.

    Args:
        statement: with its quotes.
        counting: it may count what is around it, as what leads to a list does.
        reviewed: a reviewer read it. Whether “three ways” is right takes understanding what is counted, so small
            numbers in words are left to that verdict, and so is what arithmetic confirms: “about a third” of figures
            that it quotes, or the difference of two that it names itself. Other digits and units are not.
    """
    found = _find_unquoted_figures(statement, counting=counting)
    if reviewed and 0 < len(found) <= MOST_OPERANDS:
        found = _list_unconfirmed(found, statement)
    return tuple(dict.fromkeys(why for _, why in found))


def _list_unconfirmed(found: Sequence[tuple[Figure, str]], statement: Statement) -> list[tuple[Figure, str]]:
    """Leave out figures that count something, or that follow from figures that the quotes have."""
    there = _extract_all_figures(statement.quotes)
    ratios = list(find_figure_ratios(restore_quotes(statement.quotes, bare=False)))
    read = [said for quote in statement.readings if (said := read_lost_typesetting(quote)) != quote]
    meant = _extract_all_figures(restore_quotes(read))

    def is_confirmed(one: Figure) -> bool:
        return (
            (one.spelled and _is_possible_count(one))
            or (one.share is not None and any(is_same_share(one.share, it, one.bound, rounded=True) for it in ratios))
            or is_share_of_one(one, statement.quotes)
            or is_change_by_ratio(one, statement.quotes)
            or any(is_same_figure(one, other, rounded=False) for other in meant)
            or any(is_shortened(one, other) or is_calendar_time(one, other) for other in there)
        )

    left = [one for one, _ in found if one.start != _DENIED and not is_confirmed(one)]
    missing = {one.start for one in left} | {one.start for one, _ in found if one.spelled}
    own = [one for one in extract_figures(statement.text) if one.start not in missing]
    uncomputed = list_uncomputed(left, own, statement.text, statement.quotes, statement.columns)
    return [(one, why) for one, why in found if one.start == _DENIED or one in uncomputed]


_DENIED: Final = -1
"""The place of what quotes say otherwise, which nothing confirms."""


def find_lost_figures(statement: Statement, after: str, corrected: Collection[str] = ()) -> tuple[str, ...]:
    """The figures of `statement` that its quotes or what is known have, and that the text `after` has not.

    `corrected`: units in which it has other figures instead.
    """
    asked = extract_figures(_without_ordinals(without_pointers(statement.text)))
    there, known = _extract_all_figures(statement.readings), _extract_all_figures(statement.known)
    kept = extract_figures(after, dates=True)
    return tuple(
        one.written
        for one in asked
        if not _is_possible_count(one)
        and one.unit not in corrected
        and any(is_same_figure(one, other, rounded=one.about) for other in (*there, *known))
        and not _explain_missing_figure(one, asked, statement, there, known)
        and not any(is_same_figure(one, other, rounded=False) for other in kept)
    )


def list_new_units(before: str, after: str) -> frozenset[str]:
    """The units of the figures that the text `after` has and `before` has not; empty for one without a unit."""
    there = extract_figures(before)
    new = (
        one for one in extract_figures(after) if not any(is_same_figure(one, other, rounded=False) for other in there)
    )
    return frozenset(one.unit for one in new)


def names_unquoted(statement: Statement) -> tuple[str, ...]:
    """The same, of names alone."""
    return tuple(ENGLISH.name_unquoted.format(said=name) for name in _find_unquoted_names(statement)[0])


def _find_unquoted_figures(statement: Statement, *, counting: bool = False) -> list[tuple[Figure, str]]:
    asked = extract_figures(_without_ordinals(without_pointers(statement.text)))
    asked = [one for one in asked if not (counting and _is_possible_count(one))]
    found = find_denied_counts(statement.text, statement.quotes)
    changed = find_changed_facts(statement.text, (*statement.quotes, *statement.known))
    denied = [
        (Figure(said, frozenset({Decimal(0)}), start=_DENIED), ENGLISH.figure_otherwise.format(said=said, there=there))
        for said, there in (*found, *changed)
    ]
    if not asked:  # most statements have none, and passages are long
        return denied
    asked = read_by_thousands(asked, (statement.text, *statement.known))
    there, known = _extract_all_figures(statement.readings), _extract_all_figures(statement.known)
    if is_foreign_language(statement):  # what is counted cannot be compared: `137 litres per person`, `per persoon`
        asked, there = ([replace(one, unit=one.unit.partition("/[")[0]) for one in some] for some in (asked, there))
    turned = find_turned_changes(asked, statement.text, statement.quotes)
    for one, other in turned:
        denied.append(
            (replace(one, start=_DENIED), ENGLISH.figure_otherwise.format(said=one.written, there=other.written))
        )
    missing = [(one, why) for one in asked if (why := _explain_missing_figure(one, asked, statement, there, known))]
    return [*missing, *denied]


def _without_ordinals(text: str) -> str:
    """`text`, as long as it is, without German ordinals: `im 1. Betriebsjahr` may quote `im ersten`; dates stay."""
    if _POINTED.search(text) is None or "de" not in possible_languages(text):
        return text

    def blank(found: re.Match[str]) -> str:
        ordinal = is_german_ordinal(text[: found.end()], found[1]) and not parse_month_name(found[1].lower())
        return " " * len(found[0]) if ordinal else found[0]

    return _POINTED.sub(blank, text)


def _extract_all_figures(texts: Iterable[str]) -> list[Figure]:
    """Each once, wherever it stands: a table may say the same one thousands of times."""
    whole = (one for text in texts for one in read_by_thousands(extract_figures(text, dates=True), (text,)))
    found = (each for one in whole for each in (one, *one.parts))
    return list(
        {(one.written, one.values, one.unit, one.places, one.bound, one.per, one.change): one for one in found}.values()
    )


def _find_unquoted_names(statement: Statement) -> tuple[list[str], KnownNames]:
    """The names that neither its quotes nor what is known has, and the words of those."""
    languages = possible_languages(statement.text) or possible_languages(" ".join(statement.quotes))
    names = extract_names(_without_units(statement.text), languages)
    known = KnownNames([*statement.readings, *statement.known] if names else [])
    asked = [name for name in names if not named_in(name, known)]
    if asked and is_foreign_language(statement):  # names are written otherwise in other languages
        asked = [name for name in asked if any(one.isdigit() or one == "_" for one in name)]
    return asked, known


def _without_units(text: str) -> str:
    """`text`, as long as it is, without the letters of units and currencies, as `CHF` in `CHF 3.2m`."""
    for one in extract_figures(text):
        if one.unit:
            end = one.start + len(one.written)
            text = text[: one.start] + re.sub(r"[^\W\d_]", " ", text[one.start : end]) + text[end:]
    return text


def is_foreign_language(statement: Statement) -> bool:
    """Return whether a statement and its quotes are in different languages, so that their words cannot be compared."""
    own, other = possible_languages(statement.text), possible_languages(" ".join(statement.quotes))
    return bool(own and other and own.isdisjoint(other))


def _explain_missing_figure(
    one: Figure, asked: Sequence[Figure], statement: Statement, there: Sequence[Figure], known: Sequence[Figure]
) -> str:
    """Why one of the figures `asked` is not supported; empty if it is."""
    if one.spelled and (
        (is_ambiguous(one.written) and not one.bound)
        or (not one.unit and one.values == {Decimal(len(statement.quotes))} - {Decimal(1)})
    ):
        return ""
    if one.share is not None:
        shares = (other for other in there if other.unit == "%" and not is_other_change(one, other))
        ratios = [value / 100 for other in shares for value in other.values]
        ratios += [ratio for quote in statement.quotes for ratio in find_ratios(quote)]
        if any(is_same_share(one.share, ratio, one.bound, rounded=one.about) for ratio in ratios):
            return ""
    if follows_from_share(one, statement.text, statement.quotes, there) or _is_numeral_label(one, statement):
        return ""
    if one.values == {Decimal(0)} and is_denied(statement.text[one.start + len(one.written) :], statement.quotes):
        return ""
    if one.spelled and one.unit in (TIMES, SHARE) and len(one.values) == 1:
        many = next(iter(one.values)) / (1 if one.unit == TIMES else 100)
        if is_multiple_of_figures(one, many, statement.quotes) or (
            many < 1 and any(map(HALF.search, statement.quotes))
        ):
            return ""
    same = [other for other in (*there, *known) if is_same_figure(one, other, rounded=one.about)]
    if (same or is_in_parts(one, (*there, *known))) and not is_count_of_others(one, same, asked, there):
        return ""
    if _is_possible_count(one) and _counts_own_list(one, statement.text):
        return ""
    if not one.unit and any(1500 <= value <= 2100 and _year_in(value, statement) for value in one.values):
        return ""
    said = _write_with_unit(one, asked)
    other = next((other for other in there if one.values & other.values), None)
    if other is not None:
        bounds = _BOUNDS if one.written == other.written and one.bound != other.bound else {}
        written = (bounds.get(one.bound, "") + said, bounds.get(other.bound, "") + _write_with_unit(other, there))
        return ENGLISH.figure_otherwise.format(said=written[0], there=written[1])
    return ENGLISH.figure_unquoted.format(said=said)


def _is_numeral_label(one: Figure, statement: Statement) -> bool:
    asked = _is_possible_count(one) and not one.spelled
    return asked and is_label_in_other_digits(statement.text, one.start, min(one.values), statement.quotes)


def _write_with_unit(one: Figure, figures: Iterable[Figure]) -> str:
    """A figure as it is written, with the unit that it shares with one of `figures`: the first of `12.2 ± 0.5 µK`."""
    if not one.unit or _UNIT.sub("", one.written):
        return one.written
    units = (_UNIT.sub("", other.written) for other in figures if other.unit == one.unit)
    return f"{one.written} {next(filter(None, units), '')}".strip()


_BOUNDS: Final = {"least": "> ", "most": "< "}
"""Notation of a figure's bound, where only the bound differs."""


def _is_possible_count(one: Figure) -> bool:
    """Return whether a figure may be a count of things in the text: a small whole number without a unit."""
    return not one.unit and all(0 <= value <= MOST_COUNTED and value == int(value) for value in one.values)


_LISTED: Final = re.compile(
    r"\s*[,;]\s*(?:(?:and|or|und|oder|et|ou|y|o|e|en|of)\s+)?|\s+(?:and|or|und|oder|et|ou|y|e)\s+"
)

_SEMICOLON: Final = re.compile(r"\s*;\s*")


def _counts_own_list(one: Figure, text: str) -> bool:
    """Return whether a figure counts what the sentence itself lists behind a colon, a dash or in parentheses."""
    behind = text[one.start + len(one.written) :]
    opened = re.search(r":\s|\s[\u2013\u2014-]\s|\(", behind)
    if opened is None or re.search(r"[.;!?]\s", behind[: opened.start()]):
        return False
    listed = behind[opened.end() :]
    listed = listed.partition(")")[0] if opened[0] == "(" else re.split(r"[.!?](?:\s|$)|\s[\u2013\u2014]\s", listed)[0]
    separator = _SEMICOLON if ";" in listed else _LISTED  # items with commas of their own are set off by semicolons
    items = [item for item in separator.split(listed) if re.search(r"\w", item)]
    return len(items) > 1 and Decimal(len(items)) in one.values


def _year_in(value: Decimal, statement: Statement) -> bool:
    """Whether a year is anywhere, also as `1990s` or `2019/20`."""
    year = str(int(value))
    return any(re.search(rf"(?<!\d){year}(?!\d)", text) for text in (*statement.quotes, *statement.known))


def find_underived_figures(statement: Statement) -> tuple[str, ...]:
    """Describe the figures of `statement` that are neither in what it is inferred from nor follow from it."""
    lacking = [one for one, _ in _find_unquoted_figures(statement, counting=True)]
    left = list_underived(lacking, [one for text in statement.quotes for one in extract_figures(text)])
    return tuple(ENGLISH.figure_underived.format(said=one.written) for one in left)
