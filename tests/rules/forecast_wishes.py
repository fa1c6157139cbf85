"""Whether a question asks for a forecast, and how far: by words of four languages, without a model of language.

A word such as `forecast` says it, unless it is a name in the database: then the question may be of what somebody else
forecast. Without such a word it takes both, a question of an amount in the future and a time that is to come.
A horizon that is not said stays open; one is never made up.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator
from typing import Final

from elcano.subjects.data.forecast_models import ForecastWish
from tests.rules.forecast_words import LANGUAGES, Words

MOST_CHARACTERS: Final = 2_000
"""Of a question; what is behind them is not looked at."""
LARGEST: Final = 100_000
_YEAR: Final = r"(?:19|20|21)[0-9]{2}"


def wish(question: str, names: Collection[str] = ()) -> ForecastWish | None:
    """What is asked for; None: no forecast.

    Args:
        question: in English, German, Spanish or French.
        names: of tables and columns of the database.
    """
    text = _plain(question[:MOST_CHARACTERS])
    known = {word for name in names for word in re.split(r"[^\w]|_", _plain(name))}
    wishes: list[ForecastWish] = []
    for words in LANGUAGES:
        asked = any(found[0] not in known for found in _whole(words.asks, text))
        spans = list(_spans(words, text, asked))
        if asked or (spans and any(_whole(words.future, text))):
            wishes.append(spans[0] if spans else ForecastWish(until=_until(words, text)))
    # Languages share words (`prevision`): the one that the question is in is that in which more can be read.
    return min(wishes, key=lambda one: (one.horizon is None, not one.until), default=None)


def _spans(words: Words, text: str, asked: bool) -> Iterator[ForecastWish]:
    """Times to come that are counted: `the next 6 months`; of a forecast, a bare `12 months` as well."""
    numbers = "|".join(("[0-9]{1,6}", *words.numbers))
    for pattern, span in words.spans.items():
        behind = f"(?P<after>(?: (?:{words.coming}))?)" if words.coming else "(?P<after>)"
        count = f"(?:(?P<count>{numbers})[ -])?"
        for found in _whole(
            f"(?P<before>(?:{words.next}) )?{count}(?:(?P<mid>{words.next}) )?(?:{pattern}){behind}", text
        ):
            ahead = found["before"] or found["mid"] or found["after"]
            over = _is_past(words, text[: found.start()], text[found.end() :])
            if over or not (ahead or (asked and found["count"])):
                continue
            horizon = _number(words, found["count"]) if found["count"] else 1
            if 1 <= horizon <= LARGEST:
                yield ForecastWish(horizon=horizon, span=span)


def _is_past(words: Words, before: str, behind: str) -> bool:
    return bool(
        re.search(rf"(?<!\w)(?:{words.past})(?: (?:the|den|der|dem|los|las|les|des))? ?$", before)
        or re.match(rf" ?(?:{words.past})(?!\w)", behind)
    )


def _until(words: Words, text: str) -> str:
    """The latest moment that is named as an end, as ISO 8601 has it; empty: none."""
    months = {month: f"{number:02d}" for number, month in enumerate(words.months, 1)}
    lead = rf"(?:{words.until})(?: (?:the|der|den|dem|das|el|la|le|l'|end of|year|jahr|jahres|ano|annee))* ?"
    ends: list[str] = []
    for found in _whole(rf"{lead}(?P<year>{_YEAR})(?P<rest>-(?:q[1-4]|[01][0-9](?:-[0-3][0-9])?))?", text):
        ends.append(f"{found['year']}{(found['rest'] or '').upper()}")
    for found in _whole(rf"{lead}q(?P<quarter>[1-4])[ /-](?P<year>{_YEAR})", text):
        ends.append(f"{found['year']}-Q{found['quarter']}")
    for month, number in months.items():
        for found in _whole(rf"{lead}(?:{month})(?: de| of)? (?P<year>{_YEAR})", text):
            ends.append(f"{found['year']}-{number}")
    return max(ends, default="", key=lambda end: (end[:4], len(end), end))


def _number(words: Words, written: str) -> int:
    if written.isdigit():
        return int(written)
    return next(number for number, word in enumerate(words.numbers, 1) if re.fullmatch(word, written))


def _whole(pattern: str, text: str) -> Iterator[re.Match[str]]:
    return re.finditer(rf"(?<!\w)(?:{pattern})(?!\w)", text)


def _plain(text: str) -> str:
    """In lower case, without accents, with single spaces."""
    apart = unicodedata.normalize("NFKD", text.replace("\u2019", "'").casefold())
    return " ".join("".join(sign for sign in apart if not unicodedata.combining(sign)).split())
