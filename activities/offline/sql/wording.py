"""The words of questions and of names in one form: lower case, singular, names cut where they are put together."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from elcano.activities.text.known import ENGLISH
from elcano.activities.text.stems import root_in

_CUT: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[^\W\d_A-Z]+|[A-Z]+|\d+")
_TOKEN: Final = re.compile(
    r"""
    (?P<quoted>"[^"\n]{1,200}"|`[^`\n]{1,200}`|“[^”\n]{1,200}”|(?<!\w)'[^'\n]{1,200}'(?!\w))
  | (?P<date>\d{4}-\d{2}-\d{2}(?![\d-]))
  | (?P<number>[$€£]?\d+(?:,\d{3})*(?:\.\d+)?(?:%|(?:st|nd|rd|th)\b)?)(?![\w-])
  | (?P<word>[^\W_]+(?:['\u2019][^\W_]+|(?<=\w)[-/.](?=\w)[^\W_]+|_[^\W_]+)*['\u2019]?)
  | (?P<mark>[.?!;,():])
  | (?P<other>\S)
    """,
    re.VERBOSE,
)
_IRREGULAR: Final = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "indices": "index", "data": "data",
    "criteria": "criterion", "analyses": "analysis", "companies": "company", "movies": "movie", "series": "series",
    "species": "species", "status": "status", "statuses": "status", "gas": "gas", "bus": "bus", "is": "is",
    "has": "has",
    "was": "was", "does": "does", "this": "this", "its": "its", "as": "as", "us": "us", "yes": "yes", "days": "day",
    "lives": "life", "wives": "wife", "matches": "match", "aliases": "alias", "news": "news", "less": "less",
    "ids": "id",
}  # fmt: skip

_STRONG: Final = {
    "written": "write", "wrote": "write", "taken": "take", "took": "take", "taught": "teach", "held": "hold",
    "made": "make", "sold": "sell", "bought": "buy", "given": "give", "gave": "give", "won": "win", "paid": "pay",
    "sent": "send", "spent": "spend", "built": "build", "flown": "fly", "flew": "fly", "has": "have", "had": "have",
    "went": "go", "came": "come", "led": "lead", "got": "get", "gotten": "get", "ran": "run", "driven": "drive",
}  # fmt: skip
"""Verbs whose past no ending makes."""


@dataclass(frozen=True)
class Token:
    """One piece of a question."""

    text: str
    """As it is written; of a quotation what is inside."""
    kind: str
    """`word`, `quoted`, `number`, `date`, `mark` or `other`."""
    base: str
    """Lower case; of a word its singular."""


def tokens(text: str) -> tuple[Token, ...]:
    """All pieces of a text, in order."""
    found = []
    for match in _TOKEN.finditer(text.replace("\u2019", "'")):
        kind, piece = str(match.lastgroup), match[0]
        if kind == "quoted":
            found.append(Token(piece[1:-1], kind, piece[1:-1].strip().lower()))
        elif kind == "word":
            bare = re.sub(r"'s$|'$", "", piece)
            parts = [bare] if "." in bare or not re.search(r"[-/_]", bare) else re.split(r"[-/_]", bare)
            found.extend(Token(part, kind, singular(part.lower())) for part in parts if part)
        else:
            found.append(Token(piece, kind, piece.lower()))
    return tuple(found)


@lru_cache(maxsize=20_000)
def singular(word: str) -> str:
    """A lower-case English noun without its plural ending; other words as they are."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zes")):
        return word[:-2]
    return word[:-1]


def root(word: str) -> str:
    """What the forms of a verb and the nouns made of it have in common."""
    return root_in(ENGLISH, _STRONG.get(word, word))


@lru_cache(maxsize=20_000)
def cut(name: str) -> tuple[str, ...]:
    """The words of a name of a schema: `sbCustJoinDate` is sb, cust, join, date.

    A name that is a single run of capitals and lower-case letters keeps its words whole.
    """
    return tuple(singular(part.lower()) for part in _CUT.findall(name))
