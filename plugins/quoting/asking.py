"""What kind of answer a question wants, and the words that such answers use and questions do not.

They serve twice: as searches, which otherwise find the pages that repeat the question's words most, and as a sign that
a sentence explains, advises or limits rather than mentions.
"""

import re
from dataclasses import dataclass
from typing import Final

from elcano.plugins.quoting.language import in_english


@dataclass(frozen=True)
class Kind:
    """One kind of question."""

    asked: re.Pattern[str]
    searched: str
    """Words of its answers that tell passages apart, as a person would search for them: a report shows its searches."""
    answered: re.Pattern[str]
    """What a sentence that answers it is likely to hold."""


def _kind(asked: str, searched: str, answered: str) -> Kind:
    return Kind(
        re.compile(rf"\b(?:{asked})\b", re.IGNORECASE), searched, re.compile(rf"\b(?:{answered})\b", re.IGNORECASE)
    )


REASON: Final = _kind(
    r"why|reasons?|what (?:causes|makes)|unsafe|dangers?|dangerous|risks?",
    "reason cause risk",
    r"because|since|due to|so that|in order to|therefore|otherwise|avoid\w*|prevent\w*|caus\w+|risks?|danger\w*|never|"
    r"malicious|arbitrary|untrusted|not (?:secure|safe)|unsafe|insecure|harm\w*|attack\w*",
)
CHOICE: Final = _kind(
    r"when (?:should|do|would|is it)|should (?:i|we)|which|versus|vs|differ\w*|compar\w+|better|best|choose|prefer|"
    r"instead|advantages?|trade-?offs?",
    "compared recommended",
    r"prefer\w*|instead|rather|suitable|suited|appropriate|fit|unlike|whereas|while|contrast|compared?|than|depend\w*|"
    r"recommend\w*|better|best|advantages?|disadvantages?|should|differ\w*|only|both|bound|either",
)
ABILITY: Final = _kind(
    r"what (?:can|cannot|can't)|(?:can|does|do|is|are) (?:it|[\w.-]+) (?:able|support|allow)\w*|cannot|limits?|limited|"
    r"limitations?|restrictions?|possible|allowed|supported",
    "supported limits",
    r"can|cannot|can't|could|may|must|only|not|supports?|supported|allow\w*|possible|impossible|restrict\w*|limit\w*|"
    r"following|unless|requires?|fails?|raise\w*",
)
PROCEDURE: Final = _kind(
    r"how (?:do|can|should|would|could) (?:i|we|you|one)|how to|steps?|way to",
    "guide example",
    r"use|using|used|call\w*|by \w+ing|must|should|pass\w*|sets?|setting|when|returns?|raise\w*|runs?|if|then|after",
)
WORKINGS: Final = _kind(
    r"",
    "introduction",
    r"responsible|determin\w+|specif\w+|controls?|decides?|defines?|describes?|sends?|passe[sd]|called|provid\w+|"
    r"represent\w*|implements?|contains?|(?:is|are) (?:an?|the|used|then|not)|allows?|each|when|until|before|after",
)
_WHICH: Final = re.compile(r"\W*which\b", re.IGNORECASE)
_HOW: Final = re.compile(r"\W*how (?:(?:do|can|should|would|could) (?:i|we|you|one)|to)\b", re.IGNORECASE)
"""Whoever begins so asks for the way, whatever words follow: `how do I choose which ...`."""
_YES_OR_NO: Final = re.compile(
    r"\W*(?:can|could|may|might|must|shall|should|will|would|do|does|did|is|are|was|were|am|has|have|had|need)\b"
    r"(?! not\b)[^?]*\?*\s*$",
    re.IGNORECASE,
)
_DENIES: Final = re.compile(
    r"\b(?:no|not|nobody|none|nothing|never|neither|nor|nowhere|cannot|without|forbid\w*|forbad\w*|prohibit\w*|refus\w*)\b"
    r"|n['\u2019]t\b|\bno[ -]one\b",
    re.IGNORECASE,
)
UNKNOWN: Final = Kind(re.compile(""), "", re.compile(r"(?!)"))
"""For questions in other languages: nothing is searched beside their own words, and no sentence goes before others."""
KINDS: Final = (REASON, CHOICE, ABILITY, PROCEDURE, WORKINGS)
"""In the order of trying; every question is at least of the last kind."""


def denied(question: str, text: str) -> bool:
    """Whether `question` wants to know if something is so, and `text` says of something that it is not."""
    return in_english() and _YES_OR_NO.match(question) is not None and _DENIES.search(text) is not None


def kind_of(question: str, context: str = "") -> Kind:
    """The first kind whose words `question` holds; the last gives way to that of `context`, what it is a part of."""
    if not in_english():
        return UNKNOWN
    if _HOW.match(question):
        return PROCEDURE
    found = next(kind for kind in KINDS if kind.asked.search(question))
    return kind_of(context) if context and found is WORKINGS else found


def asks_which(question: str) -> bool:
    """Whether things of a kind are asked for: `which packages`."""
    return _WHICH.match(question) is not None
