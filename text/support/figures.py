"""Figures of a statement or a quote: its numbers, as far as they stand for an amount.

A number may be read in more than one way; all are kept, so that a figure is found again however its source writes it,
and one that none of the readings finds is another one. What is said to fall by an amount is also read as that amount
below nothing. The parts of a date are figures of their own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from elcano.text.amounts import Number
from elcano.text.languages import STOP_WORDS
from elcano.text.number_words import parse_scale_word
from elcano.text.support.fractions import find_shares
from elcano.text.units import PER_MILLE, POINTS, SHARE, find_time_behind, find_unit, read_rate
from elcano.text.written_dates import WrittenMoment, parse_month_name
from elcano.text.written_numbers import find_numbers

MOST_FIGURES: Final = 2_000
"""Maximum number of figures of one text; more than any sentence or quote has."""
_RANGE: Final = re.compile(r"\s{0,2}(?:[-\u2013\u2014\u2012]|to|bis|\u00e0|a|tot)\s{0,2}$")
_CENTURY: Final = re.compile(r"(?<!\d)((?:1[5-9]|20)\d\d)[-\u2013/]\Z")
_FALLS: Final = re.compile(
    r"\b(?:reduc\w*|decreas\w*|declin\w*|dropp?\w*|fell|fall\w*|lower\w*|los[ts]\w*|lose|shr[aiu]nk\w*|cut|down|less|fewer"
    r"|sank\w*|sink\w*|gesunken|fiel\w*|gefallen|verringert\w*|gesenkt|senkt\w*|reduziert\w*|baiss\w*|diminu\w*|r\u00e9dui\w*"
    r"|redu[cj]\w*|baj\w*|cay\u00f3|ca\u00eddo|dismin\w*|ridott\w*|cal[ao]t?\w*|caiu|daald\w*|gedaald)\b"
)
_BY: Final = re.compile(
    r"(?:[^.;!?\d]{0,40}\b(?:by|of|um|de|con|del|met|por|em|is|was)\b|\W{0,3})[^.;!?\d]{0,12}$", re.IGNORECASE
)
_TO: Final = re.compile(r"\b(?:to|auf|\u00e0|a|naar|para|below|under|than)\W{0,3}$", re.IGNORECASE)
_WORD: Final = re.compile(r"(?<![\w-])[^\W\d_]{3,}(?![\w-])")
_MOVES: Final = re.compile(
    rf"{_FALLS.pattern}|\b(?:ris\w*|rose|rais\w*|lift\w*|slow\w*|eased?|jump\w*|plung\w*|soar\w*|surg\w*|increas\w*|gr[eo]w\w*|climb\w*|gain\w*|stieg\w*|steig\w*|gestiegen|wuchs\w*"
    r"|erh\u00f6h\w*|augment\w*|hauss\w*|progress\w*|aument\w*|sub[i\u00ed]\w*|cre[cs]\w*|sal[ie\u00ec]\w*|ste[ei]g\w*"
    r"|gestegen|stijg\w*|groei\w*|toegenomen)\b|[\u5347\u964d\u589e\u51cf]"
)
_ABOUT: Final = r"(?:(?:about|around|some|nearly|almost|only|just|rund|etwa)[ \u00a0])?"
_CHANGED: Final = re.compile(
    r"(?:\b(?:(?P<by>by|um|de|en[ \u00a0]une?|del|dell['\u2019]|em|met)"
    r"|(?P<to>to|auf|\u00e0|a|al|naar|tot|para|hasta|at\u00e9))"
    r"[ \u00a0]?|(?P<more>\u4e86)|[\u5230\u81f3])"
    rf"{_ABOUT}[$\u20ac\u00a3]?$"
)
_SHARES: Final = (SHARE, PER_MILLE, POINTS)
_COUNTED_WORD: Final = re.compile(
    r"[ \u00a0]?(?P<of>(?:of|de|di)[ \u00a0])?(?P<word>[A-Za-z\u00b5\u03bc\u03a9]{2,20})(?!\w)"
)
_SQUARE: Final = re.compile(r"[ \u00a0](?:c[uú][aá]dr|carr|c[uú]b|qu?adr)")
"""In Latin letters: other scripts inflect it, or part no words."""
_LONGEST_BOUND: Final = 30
_LEAST: Final = (
    r"(?<![-=<])[>≥⩾≧]=?|(?<!\w)(?:at least|more than|greater than|over|above|exceed\w*"
    r"|(?:minimum|min\.?)(?: of)?|mindestens"
    r"|mehr als|über|wenigstens|au moins|plus de|supérieur\w* à|al menos|más de|por lo menos|mayor que|superior a"
    r"|almeno|più di|oltre|pelo menos|mais de|minstens|meer dan|ten minste|более|больше|свыше|en az|최소|적어도)"
    r"|至少|超过|超過|多于|多於|高于|大于|少なくとも|最低|最少|最小|อย่างน้อย|มากกว่า|เกิน"
)
_MOST: Final = (
    r"[<≤⩽≦]=?|(?<!\w)(?:at most|less than|lower than|fewer than|under|below|up to"
    r"|(?:maximum|max\.?)(?: of)?|höchstens|bis zu|jusqu['\u2019](?:à|au)|hasta|fino a|até|tot"
    r"|weniger als|unter|maximal|au plus|moins de|inférieur\w* à|como máximo|menos de|menor que|inferior a"
    r"|al massimo|meno di|no máximo|hoogstens|minder dan|ten hoogste|до|менее|меньше|en fazla|최대)"
    r"|至多|最多|少于|少於|低于|小于|不到|最大|น้อยกว่า"
)
_EXACTLY: Final = re.compile(r"(?:=|(?<!\w)[Pp](?:[ \u00a0-]?values?)?[ \u00a0](?:was|of|is|were))[ \u00a0]?$")
_NOT: Final = re.compile(r"(?:(?<!\w)(?:no|not|never|nicht|nie|pas|non|não|niet|не)[ \u00a0]|不|ไม่)$", re.IGNORECASE)
"""The words that turn `more than` into `at most`."""
_COUNTED: Final = r"(?:[ \u00a0][^\W\d_]{2,20}){0,2}?[ \u00a0]|[\u3400-\u9fff\uac00-\ud7af]{0,3}?[ \u00a0]?"
_OR_MORE: Final = re.compile(
    rf"(?:{_COUNTED})(?:(?:(?:or|and)[ \u00a0](?:more|older|over|above|higher|greater|longer|later)"
    r"|(?:oder|und)[ \u00a0](?:mehr|älter|darüber)|(?:ou|et)[ \u00a0]plus|[oy][ \u00a0]más|[oe][ \u00a0](?:più|oltre)"
    r"|(?:ou|e)[ \u00a0]mais|(?:of|en)[ \u00a0](?:meer|ouder)|и[ \u00a0](?:более|больше|старше)"
    r"|ve[ \u00a0]üzeri)(?!\w)|['\u2019]?[dt][ae]n[ \u00a0](?:fazla|çok)(?!\w)"
    r"|以上|を?超(?![过過])|を?上回|より多|이상|초과|ขึ้นไป)",
    re.IGNORECASE,
)
_OR_LESS: Final = re.compile(
    rf"(?:{_COUNTED})(?:(?:(?:or|and)[ \u00a0](?:less|fewer|younger|under|below|lower|shorter|earlier)"
    r"|(?:oder|und)[ \u00a0](?:weniger|jünger|darunter)|(?:ou|et)[ \u00a0]moins|[oy][ \u00a0]menos|[oe][ \u00a0]meno"
    r"|(?:ou|e)[ \u00a0]menos|(?:of|en)[ \u00a0](?:minder|jonger)|и[ \u00a0](?:менее|меньше|младше|моложе)"
    r"|ve[ \u00a0]alt\u0131)(?!\w)|['\u2019]?[dt][ae]n[ \u00a0]az(?!\w)"
    r"|を?下回|より少|に満た|以下|以内|以內|未満|未满|未滿|이하|미만|이내)",
    re.IGNORECASE,
)
_NEARLY: Final = (
    r"about around roughly nearly almost approximately some circa ca over under up\sto more\sthan less\sthan at\sleast "
    r"at\smost ~ ≈ rund etwa fast knapp über environ plus\sde alrededor\sde casi unos más\sde quasi cerca\sde "
    r"quase ongeveer bijna 约 大约"
)
_ROUNDED: Final = re.compile(rf"(?:{_NEARLY.replace(' ', '|')})\.?\s?$", re.IGNORECASE)
_ARTICLE: Final = re.compile(
    r"(?<![\w-])(?:(?P<gross>an?[ \u00a0]gross(?=[ \u00a0]of[ \u00a0][a-z]))"
    r"|(?:an?|one|eine?[rmn]?|une?|un[ao]?|uma?|een|одна|одну|один|bir)(?=[ \u00a0][^\W\d_]{3,}))",
    re.IGNORECASE,
)
_MINUTES_AND_SECONDS: Final = re.compile(r"\d{1,2}:\d\d")
"""A time without `am` or `pm`, which may as well be a score, a ratio or a verse."""
_BELOW_ZERO: Final = re.compile(
    r"[ \u00a0](?:below zero|under null|unter null|bajo cero|au-dessous de zéro|sous zéro|sotto zero|abaixo de zero"
    r"|negativos|onder nul|ниже нуля)(?!\w)",
    re.IGNORECASE,
)
_BELOW_ZERO_BEFORE: Final = re.compile(
    r"(?:零下|氷点下|영하|マイナス|마이너스|\b(?:minus|минус|eksi)\b)[ \u00a0]?\Z", re.IGNORECASE
)
_TEMPERATURES: Final = ("kelvin", "degC", "degF")
_DIFFERING: Final = (
    r"warm(?:ed|ing)|cool(?:ed|ing)|differ\w*|diff\u00e9r\w*|diferen\w*|anomal\w*|ris(?:e|es|ing)|rose|increas\w*|drop\w*"
    r"|fell|fall\w*|decreas\w*|declin\w*|erw\u00e4rm\w*|abk\u00fchl\w*|unterschied\w*|anstieg\w*|stieg\w*|gestiegen"
    r"|sank\w*|r\u00e9chauff\w*|\u00e9cart\w*|hausse\w*|baisse\w*|aument\w*|sub[i\u00ed]\w*|stijg\w*|gestegen|daal\w*"
)
_DIFFERS_BY: Final = re.compile(
    rf"\b(?:{_DIFFERING})[ \u00a0](?:[^\W\d_]+[ \u00a0]){{0,4}}?(?:by|um)[ \u00a0]{_ABOUT}\Z"
    rf"|\b(?:{_DIFFERING})[ \u00a0](?:of|von|de|di|met|em|del)[ \u00a0]{_ABOUT}\Z|\u00b1[ \u00a0]?\Z"
)
"""Words of change, next to the amount: `it melts above 500 K`, `grown at 500 K` and `a cool 5 K` say none."""
_DIFFERENT: Final = re.compile(
    r"[ \u00a0-](?:warmer|hotter|colder|cooler|higher|lower|rise|increase|drop|fall|decrease|warming|difference"
    r"|w\u00e4rmer|k\u00e4lter|h\u00f6her|niedriger|anstieg|unterschied)\b"
)
_NO_LONE_UNITS: Final = frozenset(("second", "bar", "foot", "yard", "cup", "degree", "angular_degree", "mole", "beat"))
"""What is also another word behind an article: `a second trial`."""
_AT_LEAST: Final = re.compile(rf"(?:{_LEAST})[ \u00a0]?[$€£¥]?$", re.IGNORECASE)
_AT_MOST: Final = re.compile(rf"(?:{_MOST})[ \u00a0]?[$€£¥]?$", re.IGNORECASE)


@dataclass(frozen=True)
class Figure:
    """A number of a text with its unit."""

    written: str
    values: frozenset[Decimal]
    """All that it may be read as."""
    unit: str = ""
    places: int = 0
    """Digits behind its point."""
    spelled: bool = False
    """In words."""
    start: int = 0
    bound: Literal["", "least", "most"] = ""
    """Whether the amount is only said to be no less, or no more."""
    exactly: bool = False
    """Whether it is said to be that amount, by `=` or as a probability."""
    share: Decimal | None = None
    """The share that a fraction says, such as `three quarters of`; None: it is none."""
    per: str = ""
    """The time or thing that a share is for, as in `2% p.a.`."""
    change: Literal["", "by", "to"] = ""
    """Whether something rises or falls by the amount, or to it; empty: neither is said."""
    difference: bool = False
    """Whether it may be one of temperatures: something rises or differs by it."""
    about: bool = False
    """Whether it is said to be nearly that amount."""
    rate: str = ""
    """Its unit with the time that the sentence says behind it: `40 IU of insulin a day`."""
    parts: tuple["Figure", ...] = ()
    """Those of what may be a time or a score, `28:25`."""
    counted: str = ""
    """The word behind it: a thing, or, where no unit is known, a symbol that is none of ours."""


def extract_figures(text: str, *, dates: bool = False) -> list[Figure]:
    """The figures of `text`, in order. Digits within a name (`IL-6`, `B12`) are no figures.

    `dates`: with what dates say otherwise, ordinals as `9th` and months by their names.
    """
    return list(_extract_figures(text, dates))


@lru_cache(maxsize=500)  # statements and quotes are read after each repair, and once more for the report
def _extract_figures(text: str, dates: bool) -> tuple[Figure, ...]:
    numbers = [one for one in find_numbers(text, ambiguous=True) if not one.name]
    ends = {one.start: one.end for one in numbers}
    shares = [one for one in find_shares(text) if ends.get(one.start, 0) <= one.end]  # no `quarter of a million`
    within = {place for share in shares for place in range(share.start, share.end)}
    numbers = [one for one in numbers if one.start not in within]
    units = [one.unit for one in numbers]
    scales = [0] * len(numbers)
    for place, (one, following) in enumerate(pairwise(numbers)):
        if not one.unit and _RANGE.fullmatch(text, one.end, following.start):
            units[place] = following.unit
            scales[place] = read_scale(text[following.start : following.end])
    found: list[Figure] = []
    for one, unit, power in zip(numbers, units, scales, strict=True):
        if one.moment is not None and (seconds := _read_clock(one)):  # `2:17:25` is also 2 h 17 min 25 s
            parts = tuple(_read_parts(text, one.moment)) if _MINUTES_AND_SECONDS.fullmatch(one.text) else ()
            found.append(Figure(one.text, seconds, "second", start=one.start, parts=parts))
        elif one.moment is not None:
            found += _read_parts(text, one.moment)
        elif dates or not one.ordinal:
            built = _build_figure(text, one, unit)
            more = frozenset(value.scaleb(power) for value in built.values) if power else built.values
            found.append(replace(built, values=built.values | more))
    for said in shares:
        bound = _read_bound(text, said.start, said.end)
        change, about = _read_change(text, said.start), _is_about(text, said.start)
        found.append(
            Figure(
                *(said.written, said.values),
                start=said.start,
                bound=bound,
                share=said.exact,
                change=change,
                about=about,
            )
        )
    if dates:
        found += _extract_month_names(text)
        covered = {place for one in found for place in range(one.start, one.start + len(one.written))}
        found += (one for one in extract_lone_units(text) if one.start not in covered)
    return tuple(sorted(found, key=lambda one: one.start)[:MOST_FIGURES])


def _read_parts(text: str, moment: WrittenMoment) -> Iterator[Figure]:
    for start, end, number in moment.parts:
        if text[start].isdigit():
            values = frozenset({Decimal(number)}) | _read_end_of_years(text, start, end)
            yield Figure(text[start:end], values, start=start)


def extract_lone_units(text: str) -> Iterator[Figure]:
    """The amounts that an article says: `an hour`, `une semaine`, `a gross of`; many are rates, as in `twice a day`."""
    for found in _ARTICLE.finditer(text):
        if found["gross"]:
            yield Figure(found[0], frozenset({Decimal(144)}), spelled=True, start=found.start())
            continue
        unit, end = find_unit(text, found.end())
        lone = unit not in _NO_LONE_UNITS or found[0].lower() == "one"
        if unit and lone and not unit.isupper() and unit not in _SHARES:
            yield Figure(text[found.start() : end], frozenset({Decimal(1)}), unit, spelled=True, start=found.start())


def read_scale(number: str) -> int:
    """The power of ten that a word of a number multiplies by, which the first of `30 to 50 thousand` shares; or 0."""
    return max((parse_scale_word(word) for word in re.findall(r"[^\W\d_]+", number)), default=0)


def _build_figure(text: str, one: Number, unit: str) -> Figure:
    values = one.values | _read_end_of_years(text, one.start, one.end)
    digits = text[one.start : one.end]
    if not one.signed and not one.spelled and _is_decrease_amount(text, one.start):
        values |= {-value for value in values}
    fraction = re.search(r"[.,](\d+)(?!.*[.,]\d)", digits)
    if _BELOW_ZERO.match(text, one.unit_end) or _BELOW_ZERO_BEFORE.search(text, max(0, one.start - 7), one.start):
        values = frozenset(-abs(value) for value in values)
    written = text[one.start : one.unit_end].strip()
    places = len(fraction[1]) if fraction else max(0, *(-int(value.as_tuple().exponent) for value in one.values), 0)
    bound = _read_bound(text, one.start, max(one.end, one.unit_end))
    exactly = not bound and _EXACTLY.search(text[max(0, one.start - _LONGEST_BOUND) : one.start]) is not None
    per = read_rate(text, one.unit_end, unit)[0].partition("/")[2] if unit in _SHARES else ""
    change = _read_change(text, one.start)
    counted = _COUNTED_WORD.match(text, max(one.end, one.unit_end))
    if counted and not unit and counted["of"] and not _SQUARE.match(text, counted.end()):  # `35 millions de tonnes`
        unit = find_unit(text, counted.start("word"))[0]
    if counted and not unit and (behind := find_unit(text, counted.end()))[1] > counted.end() + 2:  # `5 full litres`
        unit, counted = behind[0], None
    return Figure(
        *(written, values, unit, places, one.spelled, one.start, bound, exactly),
        per=per,
        change=change,
        difference=unit in _TEMPERATURES and _may_be_difference(text, one.start, one.unit_end),
        about=_is_about(text, one.start),
        rate=f"{unit}/{time}" if unit and "/" not in unit and (time := find_time_behind(text, one.unit_end)) else "",
        counted=counted["word"] if counted and counted["word"].casefold() not in STOP_WORDS else "",
    )


def _read_clock(one: Number) -> frozenset[Decimal]:
    """The seconds of a time of day, which may be how long something takes; none of a date."""
    moment = one.moments[0]
    if moment.hour is None or moment.day is not None or moment.year is not None:
        return frozenset()
    seconds = {moment.hour * 3600 + (moment.minute or 0) * 60 + (moment.second or 0)}
    if moment.second is None and _MINUTES_AND_SECONDS.fullmatch(one.text):
        seconds.add(moment.hour * 60 + (moment.minute or 0))
    return frozenset(map(Decimal, seconds))


def _may_be_difference(text: str, start: int, end: int) -> bool:
    before, behind = text[max(0, start - 80) : start].lower(), text[end : end + 20].lower()
    return bool(_DIFFERS_BY.search(before) or _DIFFERENT.match(behind))


def _is_about(text: str, start: int) -> bool:
    return _ROUNDED.search(text[max(0, start - 20) : start]) is not None


def _read_change(text: str, start: int) -> Literal["", "by", "to"]:
    before = text[max(0, start - 60) : start].lower()
    found = _CHANGED.search(before) if _MOVES.search(before) else None
    return "" if found is None else "by" if found["by"] or found["more"] else "to"


def _read_bound(text: str, start: int, end: int) -> Literal["", "least", "most"]:
    """Read the bound that the text around a number states."""
    before = text[max(0, start - _LONGEST_BOUND) : start]
    if found := _AT_LEAST.search(before):
        return "most" if _NOT.search(before[: found.start()]) else "least"
    if found := _AT_MOST.search(before):
        return "least" if _NOT.search(before[: found.start()]) else "most"
    if _OR_MORE.match(text, end):
        return "least"
    return "most" if _OR_LESS.match(text, end) else ""


def _read_end_of_years(text: str, start: int, end: int) -> frozenset[Decimal]:
    """The year that two digits stand for behind another year, as in `2018-19`; empty where none does."""
    year = _CENTURY.search(text, max(0, start - 5), start) if end - start == 2 else None
    return frozenset({Decimal(year[1][:2] + text[start:end])}) if year else frozenset()


def _extract_month_names(text: str) -> Iterator[Figure]:
    for match in _WORD.finditer(text):
        if number := parse_month_name(match[0].lower()):
            yield Figure(match[0], frozenset({Decimal(number)}), spelled=True, start=match.start())


def _is_decrease_amount(text: str, at: int) -> bool:
    """Whether something falls by the amount at `at`, not to it."""
    before = text[max(0, at - 60) : at]
    if _TO.search(before):
        return False
    return any(_BY.fullmatch(before[found.end() :]) for found in _FALLS.finditer(before.lower()))


_LABELS: Final = (
    "fig figs figure figures table tables tab eq eqs equation chapter chap section sect sec appendix app p pp page ref "
    "refs abb abbildung tabelle kapitel abschnitt anhang seite figura tabla tableau tabella chapitre capitulo "
    "cap\u00edtulo hoofdstuk"
)
_POINTERS: Final = re.compile(
    r"(?:https?://|www\.|doi:)[^\s<>\"']+|\b10\.\d{4,9}/[^\s<>\"']+"
    r"|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+"
    r"|(?<!CI )(?<!CI: )(?<!CI, )(?<!interval )(?<!range )(?<!= )(?<!\d )\[\d{1,3}(?:\s?[,;\u2013-]\s?\d{1,3})*\]"
    rf"|\b(?i:{'|'.join(_LABELS.split())})\b\.?[\s\u00a0]?\d{{1,3}}(?:[.\u2013-]\d{{1,3}})*[a-z]?\b"
    r"(?!\s?[%\u2030])"
)


def without_pointers(text: str) -> str:
    """`text`, as long as it is, without digits that count nothing."""
    return _POINTERS.sub(lambda found: " " * len(found[0]), text)
