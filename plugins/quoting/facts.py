"""What a short answer has to hold: a number for `how many`, a year or a day for `when was`, a name for `who`.

The words that ask for it (`how many`, `what year`, `what is the name of`) stand in questions and not in answers, so a
question is not measured by them.
"""

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Fact:
    """One kind of short answer."""

    asked: re.Pattern[str]
    held: re.Pattern[str]
    """What every such answer has."""
    certain: bool
    """Whether a sentence without it is surely none."""


_NUMBER: Final = (
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|thousands?|millions?|"
    r"billions?|half|third|quarter|once|twice|single|double|no)\b"
)
_DAY: Final = (
    r"\b(?:1\d|20)\d\d\b|\b\d{1,2}(?:st|nd|rd|th)\b|\b(?:January|February|March|April|May|June|July|August|September|"
    r"October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|"
    r"century|centuries|decades?|years? (?:ago|later)|BCE?|AD)\b"
)
_NAMED: Final = r"(?<=[\w,;:)\"'] )(?!I\b)[A-Z][\w.'\u2019-]+"
_COUNTED: Final = r"how (?:many|much|long|old|often|far|fast|large|big|tall|high|deep|wide)"
_DATED: Final = r"when (?:was|were|did|had|has)|(?:what|which) (?:\w+ )?(?:year|date|day|month|decade|century)"

FACTS: Final = (
    Fact(
        re.compile(rf"\b(?:{_COUNTED}|what (?:percent\w*|number|amount|share|proportion|fraction|age))\b", re.I),
        re.compile(_NUMBER, re.I),
        certain=True,
    ),
    Fact(re.compile(rf"\b(?:{_DATED})\b", re.I), re.compile(_DAY), certain=True),
    Fact(
        re.compile(r"\bdefaults?\b", re.I),
        re.compile(r"\bdefaults?\b(?: \w+){0,3} (?:is|are|to|of)\b|\bby default\b|\bis the default\b", re.I),
        certain=True,
    ),
    Fact(
        re.compile(r"^\W*(?:who|whom|whose)\b|\b(?:by|of|to|for|with) whom\b", re.I), re.compile(_NAMED), certain=False
    ),
    Fact(
        re.compile(r"^\W*(?:where|(?:in )?(?:what|which) (?:city|country|town|state|place))\b", re.I),
        re.compile(_NAMED),
        certain=False,
    ),
)
_ASKED_WITH: Final = re.compile(
    rf"\b(?:how (?:many|much|long|old|often)|{_DATED}"
    r"|(?:what|which) (?:percent(?:age)?|number|amount|kinds?|types?|sorts?)"
    r"|what (?:is|was|are|were) the names? (?:of|for|given to))\b|\bcalled\W*$"
    r"|(?<=\w )(?:handles?|deals? with|decides?|behaves?)\b|(?:(?<=\bI )|(?<=\bwe )|(?<=\byou ))put\b",
    re.IGNORECASE,
)
_LASTING: Final = re.compile(r"^\W*how (?:long|much time)\b", re.IGNORECASE)
_LASTS: Final = re.compile(r"\b(?:takes?|took)\b", re.IGNORECASE)
"""How long something takes is said without these words: `boils in two minutes`."""


def subject_of(question: str) -> str:
    """The question without the words that ask for a short answer; the whole if they are all that it has."""
    rest = _ASKED_WITH.sub(" ", _LASTS.sub(" ", question) if _LASTING.match(question) else question)
    return rest if rest.strip(" ?.!") else question


def fact_of(question: str) -> Fact | None:
    """The kind of short answer that `question` wants, if it wants one."""
    return next((fact for fact in FACTS if fact.asked.search(question)), None)
