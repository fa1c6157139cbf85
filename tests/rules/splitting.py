"""Which way a question to databases goes, by rules: a comparison of years or of two names in paths, or a forecast.

English words alone are read. A comparison is split only where the question says that it is one, and what is compared
stands at its end; everything else goes as one query. Tools are never chosen: rules cannot tell what one is good for.
"""

import re
from collections.abc import Sequence
from typing import Final

from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.frozen import JsonObject
from elcano.subjects.data.query_models import SPLIT_PATHS, DataPath, Splitting
from tests.rules.forecast_wishes import wish

LONGEST: Final = 1_000
"""Characters of a question that is read by rules."""
BY_RULES: Final = "Rules decided it, without a language model."

_PREPOSITION: Final = r"(?:in|for|of|by|during|from|at)"
_YEAR: Final = r"(?:19|20)\d\d"
_BETWEEN: Final = r"(?:and|versus|vs\.?|with|to|against|compared (?:with|to))"
_NAME: Final = r"[^\s,;:?!]+(?: [^\s,;:?!]+){0,3}?"
_YEARS: Final = re.compile(
    rf"^(?P<compare>compare )?(?P<what>.+?)(?: (?P<how>{_PREPOSITION}|between))?"
    rf" (?P<names>{_YEAR}(?:, {_YEAR})*,? (?P<word>{_BETWEEN}) (?:{_PREPOSITION} )?{_YEAR})$",
    re.IGNORECASE,
)
_NAMES: Final = re.compile(
    rf"^(?P<compare>compare )?(?P<what>.+) (?P<how>{_PREPOSITION}) (?P<first>{_NAME})"
    rf" (?:versus|vs\.?|against|compared (?:with|to)|(?P<weak>and|with|to)) (?:{_PREPOSITION} )?(?P<second>{_NAME})$",
    re.IGNORECASE,
)
_SET_APART: Final = frozenset({"versus", "vs", "vs.", "against", "compared with", "compared to"})
_ASKED: Final = re.compile(r"^(?:what (?:is|was|are|were|will) |show (?:me )?|give (?:me )?|please )+", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"^the ", re.IGNORECASE)
_COUNTED: Final = re.compile(
    r"\b(?:how many|how much|number of|count|total|sum|average|mean|median|minimum|maximum|lowest|highest|share)\b",
    re.IGNORECASE,
)
_TO_COME: Final = re.compile(
    r"\b(?:please |can you |could you )?(?:forecast|predict|project|extrapolate)(?:s|ed|ing)?\b(?: of)?"
    r"|\b(?:a |the )?(?:forecast|prediction|projection)s? (?:of|for)\b"
    r"|,? ?\b(?:(?:for|over|in|during) )?the (?:next|coming|following) (?:\w+ )?"
    r"(?:years?|quarters?|months?|weeks?|days?|hours?)\b"
    r"|,? ?\b(?:until|till|through|up to)(?: the end of)? [\w-]*(?:19|20|21)\d\d[\w-]*",
    re.IGNORECASE,
)
_BE: Final = re.compile(r" be$", re.IGNORECASE)
_PER: Final = re.compile(r"\bper (year|quarter|month|week|day|hour)\b", re.IGNORECASE)
_EVERY: Final = re.compile(r"\b(yearly|monthly|weekly|daily|hourly|quarterly) ", re.IGNORECASE)
_SPANS: Final = {
    "yearly": "year",
    "quarterly": "quarter",
    "monthly": "month",
    "weekly": "week",
    "daily": "day",
    "hourly": "hour",
}


def split(task: TaskEnvelope) -> Splitting:
    """The way of the question of a task of the splitter; a saved question goes as one query."""
    if task.given.get("saved") is True:
        return Splitting(reason="The question is a saved one.")
    question = " ".join(task.question.split()).strip(" ?!.")
    if len(question) > LONGEST:
        return Splitting(reason=f"Rules read questions of at most {LONGEST:,} characters.")
    wanted = wish(question, _names(task.given))
    if wanted is not None:
        return Splitting(
            forecast=wanted,
            history_question=_history(question) or task.question[:2_000],
            reason=f"The question asks for what is to come. {BY_RULES}",
        )
    paths, choices = _paths(question)
    if paths:
        return Splitting(paths=paths, choices=choices, reason=f"The question compares. {BY_RULES}")
    return Splitting(reason=BY_RULES)


def _paths(question: str) -> tuple[tuple[DataPath, ...], tuple[str, ...]]:
    if (found := _YEARS.match(question)) is not None and (found["compare"] or found["word"].lower() in _SET_APART):
        how = found["how"] or "in"
        names: Sequence[str] = list(dict.fromkeys(re.findall(_YEAR, found["names"])))
        return _asked(found["what"], "in" if how.lower() == "between" else how, names)
    found = _NAMES.match(question)
    if found is not None and (found["compare"] or not found["weak"]):
        return _asked(found["what"], found["how"], list(dict.fromkeys((found["first"], found["second"]))))
    return (), ()


def _asked(what: str, how: str, names: Sequence[str]) -> tuple[tuple[DataPath, ...], tuple[str, ...]]:
    """A question for each of the names; of a plain figure its total is compared, and that is said."""
    if not 2 <= len(names) <= SPLIT_PATHS:
        return (), ()
    figure = _ARTICLE.sub("", _ASKED.sub("", what.strip(" ,:")))
    choices: tuple[str, ...] = ()
    if not _COUNTED.search(figure):
        choices = (f"What is compared is the total of “{figure}”: the question did not say what is to be computed.",)
        figure = f"total {figure}"
    how = "in" if how.lower() in ("by", "of") else how.lower()
    return tuple(DataPath(name=name[:100], question=f"{figure} {how} {name}?") for name in names), choices


def _history(question: str) -> str:
    """The question without what it says of the future: what the series so far is asked by."""
    plain = _BE.sub("", " ".join(_TO_COME.sub(" ", question).split()).strip(" ,.:;?"))
    every = _EVERY.search(plain)
    if every is not None:
        plain = f"{_EVERY.sub('', plain, count=1)} by {_SPANS[every[1].lower()]}"
    plain = _ARTICLE.sub("", _ASKED.sub("", _PER.sub(r"by \1", plain)))
    if plain and not _COUNTED.search(plain):
        plain = f"total {plain}"
    return plain


def _names(given: JsonObject) -> list[str]:
    """Names of tables and columns, as far as the task tells them."""
    tables = given.get("tables")
    if not isinstance(tables, dict):
        return []
    columns = (one for listed in tables.values() if isinstance(listed, list) for one in listed)
    return [*tables, *(str(one) for one in columns)]
