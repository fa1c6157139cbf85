"""Numbers in words: `twelve`, `two hundred`, `anderthalb Millionen`, `none of 45`."""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Final

from elcano.text.amounts import Number, NumberReading, build_spelled, parse_unit, read_scale_words
from elcano.text.languages import possible_languages
from elcano.text.number_words import (
    UNSURE_SCALES,
    is_ambiguous,
    is_lone_thousand,
    number_word,
    parse_factor,
    parse_half_word,
    parse_multiple_word,
    parse_scale_word,
)
from elcano.text.units import RATIO_UNITS, SHARE, read_frequency

_NONE: Final = r"none|zero|no[ \u00a0]\w{1,20}|keine[rsmn]?|aucune?|ninguno|ninguna|nessun[oa]?|nenhuma?|geen"
_ONE_ALONE: Final = r"one(?:[ \u00a0]\w{1,20})?|eine[rs]?|une?|un[oa]|uma?|een"
_FEW_OF: Final = re.compile(
    rf"\b(?:(?P<none>{_NONE})|(?:{_ONE_ALONE}))[ \u00a0]"
    r"(?:of|out[ \u00a0]of|von|der|des|d[eao]s|sur|de|di|de[il]|delle|degli|van)[ \u00a0]"
    r"(?:(?:the|den|les|l[ao]s|de)[ \u00a0])?(?=\d)",
    re.IGNORECASE,
)
_BY_HALF: Final = re.compile(
    r"(?<!\w)(?:(?:by|in) half(?! an?\b| of\b)|(?:um|auf) die Hälfte(?! de[rs]\b)|de moitié|a la mitad(?! de)"
    r"|(?:del)?la metà(?! d)|(?:pel|à )a? ?metade(?! d)|met de helft)(?!\w)",
    re.IGNORECASE,
)
"""`by half`: a change of 50 %, or one to 50 %."""
_WORD_AFTER: Final = re.compile(
    r"[ \u00a0-]{1,2}(?:(?:and|und|et|y|e|en)[ \u00a0])?([^\W\d_]{3,}(?:-[^\W\d_]{3,})?)(?![\w-])"
)
_EVERY_OTHER: Final = re.compile(
    r"(?<!\w)(?:(?:every (?:other|second)|jede[nrs]? zweiten?|om de)[ \u00a0](?=[^\W\d_]{3})"
    r"|(?:on )?alternate (?=days|weeks)|cada dos (?=d|s)|隔(?=[日天週周年]))",
    re.IGNORECASE,
)
"""`every other day` is every two days."""
_KOREAN_ONES: Final = {word: number for number, word in enumerate("두 세 네 다섯 여섯 일곱 여덟 아홉 열".split(), 2)}  # noqa: SIM905
_KOREAN: Final = re.compile(
    rf"(?<!\w)(?P<word>{'|'.join(_KOREAN_ONES)})[ \u00a0]?"
    r"(?=(?:번|명|개|살|시간|달|마리|권|잔|대|곳|차례|사람|가지|배)(?!\w{3}))"
)
"""Native numbers of Korean, which stand before what they count."""
_ONE: Final = frozenset(["one", "a", "an", "ein", "eine", "einer", "un", "une", "una", "um", "uma", "een"])
_ONES: Final = {
    sign: value for value, signs in enumerate(("零\u3007", "一", "二两兩", *"三四五六七八九")) for sign in signs
}
_TENS: Final = {"十": 10, "百": 100, "千": 1000}
_MYRIADS: Final = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_IDEOGRAPHS: Final = re.compile(
    "(?<![\\d数幾几第零\u3007一二三四五六七八九十百千万萬亿億])(?P<share>百分之)?(?P<digits>[零\u3007一二三四五六七八九两兩十百千万萬亿億]{1,24})"
    "(?![分多余餘数幾几])"
)
_COUNTED_ONES: Final = frozenset("二三四五六七八九两兩")
_ONCE: Final = re.compile("[日天周週月年]一[次回]")
_COUNTER: Final = re.compile(
    "[次回倍人名个個年天日周週岁歳杯本枚台件例種种家頭头匹只艘座条點斤坪里亩畝度分秒割]|成(?![分为為员功立就果])|小时|小時|時間|か月|ヶ月|公|千|毫|厘"
)
"""What makes a number of one such character: without it, it is part of a word."""
_PER: Final = re.compile(r"\b(?:per|pour|por)[ \u00a0]\Z", re.IGNORECASE)
"""What makes a share of a hundred or a thousand."""
_DECIMAL_SIGNS: Final = {
    **{"en": "point", "de": "komma", "fr": "virgule", "es": "coma punto", "it": "virgola", "pt": "vírgula"},
    "nl": "komma",
}
_DECIMAL_SIGN: Final = re.compile(
    r"[ \u00a0](?P<sign>point|komma|virgule|coma|punto|virgola|vírgula)(?=[ \u00a0])", re.IGNORECASE
)
_DECIMAL_WORD: Final = re.compile(r"[ \u00a0]([^\W\d_]{2,}(?:-[^\W\d_]{2,})*)(?![\w-])")
_MOST_DECIMALS: Final = 6
_OTHER_DIGITS: Final = {"en": {"oh": 0}, "de": {"ein": 1}, "es": {"un": 1}, "it": {"un": 1}, "nl": {"een": 1}}
"""Words for digits besides those by which one counts."""
_WORD: Final = re.compile(
    r"(?<![\w-])(?:[^\W\d_]{3,}(?:-[^\W\d_]{2,})*|u[nm](?=[ \u00a0]v[ií]rgul))(?![\w-])", re.IGNORECASE
)


def find_spelled_numbers(text: str, folded: str, language: str | None) -> Iterator[Number]:
    """Numbers in words; None: those of every language."""
    for few in _FEW_OF.finditer(folded):
        end = few.start() + len(few[0].split()[0])
        yield build_spelled(text, few.start(), end, 0 if few["none"] else 1)
    yield from _find_ideographs(text, folded)
    for counted in _KOREAN.finditer(folded):
        start, end = counted.span("word")
        yield build_spelled(text, start, end, _KOREAN_ONES[counted["word"]], *parse_unit(folded, end))
    for other in _EVERY_OTHER.finditer(folded):
        unit, end = parse_unit(folded, other.end() - (other[0][-1] in " \u00a0"))
        if unit:
            yield build_spelled(text, *other.span(), 2, unit, end)
    for half in _BY_HALF.finditer(folded):
        yield build_spelled(text, *half.span(), 50, SHARE)
    at = 0
    while (match := _WORD.search(folded, at)) is not None:
        word, start, end = match[0].lower(), *match.span()
        at = end
        times = parse_multiple_word(word)
        if times is not None:
            yield build_spelled(text, start, end, times, *read_frequency(folded, end))
            continue
        value, start, end = _read_number_words(folded, word, start, end, language)
        if value is None:
            continue
        powers, after = read_scale_words(folded, end, 0, money=False)
        end = after if powers != {0} else end
        unit, unit_end = parse_unit(folded, end)
        end = unit_end if unit in RATIO_UNITS else end
        at = max(at, end)
        readings = tuple(
            NumberReading(value.scaleb(power), Decimal(1).scaleb(power + int(value.as_tuple().exponent)))
            for power in sorted(powers)
        )
        yield Number(text[start:end].strip(), start, end, readings, unit, max(end, unit_end), spelled=True)


def _find_ideographs(text: str, folded: str) -> Iterator[Number]:
    """Numbers in Chinese characters: `三百`, `二十五`, `百分之十二`."""
    for found in _IDEOGRAPHS.finditer(folded):
        value = _read_ideographs(found["digits"])
        once = found["digits"] == "一" and _ONCE.search(folded, max(0, found.start() - 1), found.end() + 1)
        single = value is None and (found["digits"] in _COUNTED_ONES or once)
        value = _ONES[found["digits"]] if single else value
        if value is not None and (found["share"] or len(found["digits"]) > 1 or _COUNTER.match(folded, found.end())):
            unit, end = (SHARE, found.end()) if found["share"] else parse_unit(folded, found.end())
            yield build_spelled(text, *found.span(), value, unit, end)


def _read_ideographs(digits: str) -> int | None:
    """The value of a number in Chinese characters that has a ten, a hundred or more; None: it is none."""
    total = section = digit = 0
    last = 10**9
    scaled = False
    for at, sign in enumerate(digits):
        if sign in _ONES:
            if digit:
                return None  # `二三十` is twenty or thirty
            digit = _ONES[sign]
            continue
        scaled = True
        tens = _TENS.get(sign)
        if tens is None:
            section += digit
            if not section:
                return None  # `万一` is by chance
            total, section, last = total + section * _MYRIADS[sign], 0, 10**9
        elif tens >= last or (not digit and at and digits[at - 1] not in _MYRIADS and digits[at - 1] not in "零\u3007"):
            return None  # `千百` is very many
        else:
            section, last = section + (digit or 1) * tens, tens
        digit = 0
    return total + section + digit if scaled else None


def _read_number_words(
    text: str, word: str, start: int, end: int, language: str | None
) -> tuple[Decimal | None, int, int]:
    """The value of the number in words that begins at `start`, before words such as `million`; None: it is none."""
    if (half := parse_half_word(word)) is not None:
        return half, start, end
    if decimal := _read_decimals(text, start, end):
        return decimal[0], start, decimal[1]
    value = number_word(word)
    if value is None:
        before = re.search(r"(?<!\w)([^\W\d_]{1,5})[ \u00a0]$", text[max(0, start - 7) : start])
        if before and before[1].lower() in _ONE and parse_scale_word(word) > 2 and word not in UNSURE_SCALES:
            begin = start - len(before[0])
            return Decimal(1), begin, begin + len(before[1])
        after = _WORD_AFTER.match(text, end)
        continued = after is not None and is_lone_thousand(word) and number_word(after[1].lower()) is not None
        thousand = (continued or is_lone_thousand(word, possible_languages(text))) and not _is_per(text, start)
        return Decimal("1E3") if thousand else None, start, end
    if word == "cent" and _is_per(text, start):
        return None, start, end
    languages = possible_languages(text) if language is None else (language,)
    if is_ambiguous(word) and languages and not any(_load_number_words(one).get(word) == value for one in languages):
        return None, start, end  # `due to` counts two in Italian alone
    while (after := _WORD_AFTER.match(text, end)) is not None:
        following = after[1].lower()
        more = 1 if following in _ONE else number_word(following)
        if (factor := parse_factor(following)) > value and after.start(1) - end == 1:
            value *= factor
        elif more is not None and not factor and more < 100 <= value and value % 100 == 0:
            value += more
        elif more is not None and more < 10 and 20 <= value < 100 and value % 10 == 0 and text[end] == " ":
            value += more  # `twenty one`
        else:
            break
        end = after.end(1)
    whole, end = _read_decimals(text, start, end) or (Decimal(value), end)
    return whole, start, end


def _read_decimals(text: str, start: int, end: int) -> tuple[Decimal, int] | None:
    """The number of words from `start` to `end` with its decimals, as `one point two five`, and where these end.

    None: none follow. All are of one language and stand before a scale word: `on one point three judges dissented`.
    """
    sign = _DECIMAL_SIGN.match(text, end)
    if sign is None:
        return None
    for language, signs in _DECIMAL_SIGNS.items():
        known = _load_small_numbers(language) if sign["sign"].lower() in signs.split() else {}
        whole = known.get(text[start:end].lower().replace(" ", "-"))
        digits, at = list[int](), sign.end()
        while (found := _DECIMAL_WORD.match(text, at)) and found[1].lower() in known and len(digits) < _MOST_DECIMALS:
            digits.append(known[found[1].lower()])
            at = found.end()
        scale = found[1].lower() if found else ""
        is_scaled = parse_scale_word(scale) > 2 and scale not in UNSURE_SCALES
        if whole is not None and is_scaled and (len(digits) == 1 or (digits and max(digits) < 10)):
            return Decimal(f"{whole}.{''.join(map(str, digits))}"), at
    return None


def _is_per(text: str, start: int) -> bool:
    return _PER.search(text, max(0, start - len("pour ")), start) is not None


@cache
def _load_number_words(language: str) -> dict[str, int]:
    """Number words of one language, from 2 to 20; empty of one that is not known."""
    if language not in ("en", "de", "fr", "es", "it", "pt", "nl"):
        return {}
    from num2words import num2words

    return {num2words(number, lang=language): number for number in range(2, 21)}


@cache
def _load_small_numbers(language: str) -> dict[str, int]:
    """Words of one language for the numbers from 0 to 99, with hyphens."""
    from num2words import num2words

    words = {num2words(number, lang=language).lower().replace(" ", "-"): number for number in range(100)}
    return words | _OTHER_DIGITS.get(language, {})
