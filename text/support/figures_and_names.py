"""Figures and names of a statement or a quote: its numbers, as far as they stand for an amount, and its proper names.

A number may be read in more than one way; all are kept, so that a figure is found again however its source writes it,
and one that none of the readings finds is another one. What is said to fall by an amount is also read as that amount
below nothing. The parts of a date are figures of their own.

Names are capitalised words, acronyms, identifiers and code, as far as they differ from other words. A capital at the
beginning of a sentence tells nothing, nor does one in German, where every noun has one, nor in a heading where every
word has. What is no name here is not asked for; what is asked for is a name.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from elcano.text.amounts import Number
from elcano.text.languages import STOP_WORDS, possible_languages
from elcano.text.number_words import list_ordinals, number_word, parse_roman_numeral, parse_scale_word
from elcano.text.support.fractions import find_shares
from elcano.text.words import split_words
from elcano.text.written_dates import DATE_WORDS, parse_month_name
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


def extract_figures(text: str, *, dates: bool = False) -> list[Figure]:
    """The figures of `text`, in order. Digits within a name (`IL-6`, `B12`) are no figures.

    `dates`: with what dates say otherwise, ordinals as `9th` and months by their names.
    """
    return list(_extract_figures(text, dates))


@lru_cache(maxsize=500)  # statements and quotes are read after each repair, and once more for the report
def _extract_figures(text: str, dates: bool) -> tuple[Figure, ...]:
    shares = list(find_shares(text))
    within = {place for share in shares for place in range(share.start, share.end)}
    numbers = [one for one in find_numbers(text, ambiguous=True) if not one.name and one.start not in within]
    units = [one.unit for one in numbers]
    scales = [0] * len(numbers)
    for place, (one, following) in enumerate(pairwise(numbers)):
        if not one.unit and _RANGE.fullmatch(text, one.end, following.start):
            units[place] = following.unit
            scales[place] = _read_scale(text[following.start : following.end])
    found: list[Figure] = []
    for one, unit, power in zip(numbers, units, scales, strict=True):
        if one.moment is not None:
            for start, end, number in one.moment.parts:
                if text[start].isdigit():
                    values = frozenset({Decimal(number)}) | _read_end_of_years(text, start, end)
                    found.append(Figure(text[start:end], values, start=start))
        elif dates or not one.ordinal:
            built = _build_figure(text, one, unit)
            more = frozenset(value.scaleb(power) for value in built.values) if power else built.values
            found.append(replace(built, values=built.values | more))
    for said in shares:
        bound = _read_bound(text, said.start, said.end)
        found.append(Figure(said.written, said.values, start=said.start, bound=bound, share=said.exact))
    if dates:
        found += _extract_month_names(text)
    return tuple(sorted(found, key=lambda one: one.start)[:MOST_FIGURES])


def _read_scale(number: str) -> int:
    """The power of ten that a word of a number multiplies by, which the first of `30 to 50 thousand` shares; or 0."""
    return max((parse_scale_word(word) for word in re.findall(r"[^\W\d_]+", number)), default=0)


def _build_figure(text: str, one: Number, unit: str) -> Figure:
    values = one.values | _read_end_of_years(text, one.start, one.end)
    digits = text[one.start : one.end]
    if not one.signed and not one.spelled and _is_decrease_amount(text, one.start):
        values |= {-value for value in values}
    fraction = re.search(r"[.,](\d+)(?!.*[.,]\d)", digits)
    written = text[one.start : one.unit_end].strip()
    places = len(fraction[1]) if fraction else 0
    bound = _read_bound(text, one.start, max(one.end, one.unit_end))
    exactly = not bound and _EXACTLY.search(text[max(0, one.start - _LONGEST_BOUND) : one.start]) is not None
    return Figure(written, values, unit, places, one.spelled, one.start, bound, exactly)


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


_CODE: Final = re.compile(r"`([^`\n]{1,200})`")
_TOKEN: Final = re.compile(r"[^\W_]+(?:[._\-\u2010\u2011/][^\W_]+|_+[^\W_]*)*|_+[^\W_]+(?:_+[^\W_]*)*")
_BEGINS: Final = re.compile(r"(?:^|[.!?:;\u2026\u3002|]|^\s*(?:[-*+]|\d+[.)]))[\s\"'\u201c\u2018\u00ab(\[*_>#-]*$")
_HEADINGS: Final = "table figure fig section chapter appendix results conclusion background methods ci sd se iqr"
_NO_NAMES: Final = DATE_WORDS | frozenset(_HEADINGS.split()) | {"i"}  # English writes this pronoun with a capital
_ACRONYM: Final = re.compile(r"\b[A-Z](?:\.?[A-Z]){1,5}\b")
_LONGEST_ACRONYM: Final = 6
_SUFFIXES: Final = frozenset(("s", "es", "n", "an", "ian", "ans", "ians", "ish", "ese", "ic", "y"))


def extract_names(text: str, languages: Collection[str] | None = None) -> list[str]:
    """Return the names in `text`, each once, in order, as written; `languages`: those it may be in, if known."""
    code = [found[1].strip() for found in _CODE.finditer(text)]
    plain = _CODE.sub(lambda found: " " * len(found[0]), text)
    tokens = [(found[0], found.start()) for found in _TOKEN.finditer(plain)]
    capitals = not ("de" in (possible_languages(text) if languages is None else languages) or _is_title_case(tokens))
    found = [*code, *_find_name_runs(plain, tokens, capitals=capitals)]
    return list(dict.fromkeys(name for name in found if name and name.casefold() not in _NO_NAMES))


def named_in(name: str, known: "KnownNames") -> bool:
    """Return whether every word of a name is among the words in `known`, or its initials are."""
    parts = _list_telling_parts(name)
    missing = [not known.has(part) for part in parts]
    if not any(missing) or known.has(_strip_separators(name)):
        return True
    if not any(_find_unabbreviated_parts(parts, missing, known)):
        return True
    initials = "".join(part[0] for part in re.split(r"[\s-]+", name) if part[:1].isupper()).casefold()
    if len(initials) > 1 and known.has(initials):
        return True
    return name.isupper() and name.replace(".", "").isalpha() and _strip_separators(name) in known.initials


def _find_unabbreviated_parts(parts: Sequence[str], missing: Sequence[bool], known: "KnownNames") -> list[bool]:
    """Return the missing parts of a name, after runs of parts whose initials were found are taken out."""
    left = list(missing)
    for start in range(len(parts)):
        for end in range(start + 2, min(len(parts), start + _LONGEST_ACRONYM) + 1):
            if "".join(part[0] for part in parts[start:end]) in known.acronyms:
                left[start:end] = [False] * (end - start)
    return left


def _strip_separators(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


class KnownNames:
    """The words of quoted and known texts, in which names are looked up."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._words = {part for text in texts for part in _split_name_parts(text)}
        self._joined = {_strip_separators(token[0]) for text in texts for token in _TOKEN.finditer(text)}
        self.acronyms = {_strip_separators(found[0]) for text in texts for found in _ACRONYM.finditer(text)}
        self.initials = {one for text in texts for one in _list_initials(text)}

    def lacks(self, name: str) -> int:
        """Return how many words of a name do not occur."""
        return sum(not self.has(part) for part in _list_telling_parts(name))

    def has(self, word: str) -> bool:
        """Return whether a word occurs, in any of its forms."""
        if word in self._words or word in self._joined or word.replace("-", "") in self._joined:
            return True
        if (number := parse_roman_numeral(word.upper())) and not list_ordinals(number).isdisjoint(self._words):
            return True
        if len(word) < 3 or not word.isalpha():
            return False
        near = [one for one in self._words if one[:3] == word[:3] and abs(len(one) - len(word)) < 5]
        return any(_is_shorter_form(word, one) or _is_shorter_form(one, word) for one in near)


def _is_shorter_form(word: str, longer: str) -> bool:
    """Whether a word is `longer` without its ending: `Texas` of `Texan`, `Canada` of `Canadian`."""
    stem = re.sub(r"[aeosy]s?$", "", word) if len(word) > 4 else word
    return any(longer.startswith(one) and longer[len(one) :] in _SUFFIXES for one in {word, stem})


def _find_name_runs(text: str, tokens: Sequence[tuple[str, int]], *, capitals: bool) -> Iterator[str]:
    """Acronyms and identifiers, and runs of words in capitals."""
    run: list[str] = []
    end = -1
    for token, start in tokens:
        first = bool(_BEGINS.search(text[max(0, start - 12) : start])) if start else True
        if _is_identifier(token):
            if run:
                yield from _join_name_run(run)
                run = []
            yield token
            continue
        capital = capitals and token[0].isupper() and number_word(token.lower()) is None
        joins = run and text[end:start].strip(" \u00a0") in ("", "&") and "\n" not in text[end:start]
        if run and not (capital and joins):
            yield from _join_name_run(run)
            run = []
        if capital and not (first and token.lower() in STOP_WORDS):
            run.append(f"\0{token}" if first else token)
        end = start + len(token)
    yield from _join_name_run(run)


def _join_name_run(run: Sequence[str]) -> Iterator[str]:
    """A run as one name; the first word of a sentence alone is none, for it may be any word."""
    if not run or (len(run) == 1 and run[0].startswith("\0")):
        return
    yield " ".join(run).replace("\0", "")


def _is_identifier(token: str) -> bool:
    if re.fullmatch(r"\d.*", token) and not re.search(r"[A-Z]", token):
        return False
    letters = re.sub(r"[^A-Za-z]", "", token)
    if sum(one.isupper() for one in token) > 1 and (token.isupper() or re.search(r"[a-z][A-Z]|[A-Z]{2}", token)):
        return len(letters) > 1
    if re.search(r"\d", token) and re.search(r"[^\W\d_]", token):
        return bool(re.search(r"[A-Z]|_|^[a-z]{2,}\d", token)) and not re.fullmatch(r"\d+(?:st|nd|rd|th|s|er|e)", token)
    return "_" in token.strip("_") or (token.startswith("_") and len(token) > 2)


def _split_name_parts(text: str) -> list[str]:
    return split_words(re.sub(r"[_\-\u2010\u2011/.]+", " ", re.sub(r"'s\b|\u2019s\b", "", text)))


def _list_telling_parts(name: str) -> list[str]:
    parts = _split_name_parts(name)
    return [part for part in parts if part not in STOP_WORDS] or parts


def _list_initials(text: str) -> Iterator[str]:
    """The first letters of each run of words that may be called by them."""
    tokens = [one for one in re.findall(r"[^\W\d_]+", text) if one.lower() not in STOP_WORDS]
    letters = "".join(one[0] for one in tokens).casefold()
    for size in range(2, _LONGEST_ACRONYM + 1):
        for at in range(len(letters) - size + 1):
            yield letters[at : at + size]


def _is_title_case(tokens: Sequence[tuple[str, int]]) -> bool:
    """Whether nearly every word has a capital, so that none tells anything."""
    long = [token for token, _ in tokens if len(token) > 3 and token[0].isalpha()]
    return len(long) > 3 and sum(token[0].isupper() for token in long) > 0.7 * len(long)
