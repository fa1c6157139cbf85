"""What a question that follows others asks of a database, put together by rules from those before it.

“And by year?” behind “What is the total revenue?” is “What is the total revenue by year?”. What is put together is read
whole or not at all like any other question, and said beside the answer; what cannot be put together is left as it is.
"""

import re
from typing import Final

from elcano.graphs.agents.envelope import TaskEnvelope

_BEHIND: Final = re.compile(r"^(?P<own>.+?) \([^()]*\)$", re.DOTALL)
"""A question with the telling words of the one before it behind it, as the API hands it over."""
_GOES_ON: Final = re.compile(r"^\W*(?:and|but|then|also|now|so|ok|okay|what about|how about|the same)\b", re.IGNORECASE)
_LINK: Final = re.compile(
    r"^\W*(?:(?:and|but|then|also|now|so|ok|okay|what about|how about|show(?: me)?|the same|just|only)\b[\s,:]*)+",
    re.IGNORECASE,
)
_ONLY: Final = re.compile(r"[\s,]+(?:only|instead|alone|please|then|too|as well)\s*$", re.IGNORECASE)
_ADDED: Final = re.compile(
    r"^(?:by|per|for each|in|during|since|before|after|between|from|of|for|with|at)\b", re.IGNORECASE
)
_YEAR: Final = r"(?:19|20)\d\d"
_MOMENT: Final = re.compile(
    rf"\s*\b(?:in|during|since|before|after|between|from|for) {_YEAR}(?: (?:and|to) {_YEAR})?\b", re.IGNORECASE
)
_GROUP: Final = re.compile(
    r"\s*\b(?:by|per|for each) \w+"
    r"(?: (?!(?:in|during|since|before|after|between|from|for|of|with|and|by|per)\b)\w+){0,3}",
    re.IGNORECASE,
)


def questions(task: TaskEnvelope) -> tuple[str, ...]:
    """What the question of `task` may ask: itself; if it follows others, before that what it asks together with them.

    The first that can be read is meant. What only goes on, as “And by year?” does, is never read alone: it stays as it
    was handed over, with words of the question before it, which rules read as little as anybody's.
    """
    if not task.history:
        return (task.question,)
    found = _BEHIND.match(" ".join(task.question.split()))
    own = found["own"] if found else task.question
    together = _together([entry.question for entry in task.history], own)
    goes_on = _GOES_ON.match(own) or _ADDED.match(own)
    alone = own if not goes_on else "" if found else _LINK.sub("", own)
    return tuple(dict.fromkeys(one for one in (together, alone, task.question) if one.strip()))


def _together(earlier: list[str], own: str) -> str:
    """`own` as one question with those before it; empty if it adds nothing to them that rules can tell."""
    whole = ""
    for question in earlier:
        whole = (_added(whole, question) if whole else "") or question
    return _added(whole, own) if whole else ""


def _added(whole: str, own: str) -> str:
    """`whole` with what `own` adds: another moment or grouping takes the place of its own; empty if it adds nothing."""
    plain = " ".join(own.split()).strip(" ?!.,")
    more = _ONLY.sub("", _LINK.sub("", plain)).strip(" ,")
    if not _ADDED.match(more) or len(more) > len(whole) + 200:
        return ""
    base = whole.strip(" ?!.,")
    if _MOMENT.fullmatch(more):
        base = _MOMENT.sub("", base)
    elif _GROUP.fullmatch(more):
        base = _GROUP.sub("", base)
    return f"{base} {more}?"
