"""Queries for services: plain words, or the service's own syntax if a query uses it.

A question in words asks for too much if a service requires all of them in each work, so uninformative words are
dropped; and if nothing matches all words, the service is queried for any of them. Only plain words are widened this
way: operators, phrases and fields are intentional.
"""

import re
from typing import Final, NamedTuple

import regex

from elcano.activities.passages.document import normalize_text
from elcano.text.languages import STOP_WORDS

MOST_WORDS: Final = 30
"""Words of one plain query; services refuse or ignore long lists."""
PHRASE: Final = re.compile(r"\"([^\"]*)\"")

_SYNTAX: Final = re.compile(
    r"\"[^\"]+\""  # a phrase
    r"|(?<=[\w\")])\s?\[[A-Za-z][A-Za-z :/~-]*\]"  # a field of PubMed or of ClinicalTrials.gov, but no [Ca2+]
    r"|(?<!\S)\(*(?:AND|OR|NOT)(?!\S)"
    r"|\b[A-Z][A-Z_]{1,20}:(?=[\w\"(\[])"  # a field of Europe PMC
)
_MEANT: Final = re.compile(r"[\"()\[\]|]|(?<!\S)(?:AND|OR|NOT)(?!\S)|(?<!\S)-\w|\w:\S")
"""Text that looks like syntax to the search engines of OpenAlex and Wikipedia."""
_WORD: Final = regex.compile(r"[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}'\u2019.+-]*[\p{L}\p{N}\p{M}+])?")
_OPERATORS: Final = frozenset({"AND", "OR", "NOT"})
_DANGLING: Final = re.compile(r"^\W*(?:AND|OR|ANDNOT)\b|\b(?:AND|OR|NOT|ANDNOT)\W*$")
_PAIRS: Final = ("()", "[]", "{}")


class SentQuery(NamedTuple):
    """A query as it is sent."""

    all_of: str
    """The first query; empty: it has no word."""
    any_of: str = ""
    """The query if the first one finds nothing; empty: none."""
    words: str = ""
    """The words that passages are compared with; works found by any of some words have to share a third of them."""
    loose: bool = False
    """Whether the works that `all_of` finds may have only some of the words."""


def prepare_query(query: str) -> SentQuery:
    """Return the form of `query` to send: a syntax as it is, or else the informative words."""
    line = _drop_unpaired_marks(" ".join(normalize_text(query).split()))
    if _SYNTAX.search(line) and not _OPERATORS.issuperset(_WORD.findall(line)):
        return SentQuery(line, words=query)
    found = plain_words(line)
    return SentQuery(" ".join(found), _join_any(found), query)


def prepare_sentence(sentence: str) -> SentQuery:
    """Return the form of a sentence for a search engine that itself knows which of its words are informative."""
    if not any(character.isalnum() for character in sentence):
        return SentQuery("")
    return SentQuery(sentence, "" if _MEANT.search(sentence) else _join_any(plain_words(sentence)), sentence)


def plain_words(query: str) -> list[str]:
    """Return the distinct informative words of `query`, as they are written; all words if none is informative.

    A stop word in capitals is a name, as WHO and US are, unless all is in capitals.
    """
    line = normalize_text(query)
    every: dict[str, str] = {}
    for word in _WORD.findall(line):
        every.setdefault(word.lower(), word)
    shouted = line.isupper()
    named = {word for word in every.values() if len(word) > 1 and word.isupper() and not shouted} - _OPERATORS
    telling = [word for lower, word in every.items() if lower not in STOP_WORDS or word in named]
    # A lone OR or NOT would be an operator.
    return [word.lower() if word in _OPERATORS else word for word in telling or every.values()][:MOST_WORDS]


def is_well_formed_query(line: str) -> bool:
    """Whether every bracket and quotation mark of a line is closed, and no operator is in the place of a term.

    Services stumble over a query that is not, or find less.
    """
    if line.count('"') % 2:
        return False
    open_brackets: list[str] = []
    for character in PHRASE.sub(" ", line):
        if character in "([":
            open_brackets.append(")" if character == "(" else "]")
        elif character in ")]" and (not open_brackets or open_brackets.pop() != character):
            return False
    return not open_brackets and not _DANGLING.search(PHRASE.sub("x", line))


def _join_any(words: list[str]) -> str:
    return " OR ".join(words) if len(words) > 1 else ""


def _drop_unpaired_marks(line: str) -> str:
    """Remove the quotation marks and brackets of `line` that have no partner, which services cannot parse."""
    if line.count('"') % 2:
        line = line.replace('"', " ")
    for opening, closing in _PAIRS:
        depth, fits = 0, True
        for sign in line:
            depth += (sign == opening) - (sign == closing)
            fits = fits and depth >= 0
        if depth or not fits:
            line = line.replace(opening, " ").replace(closing, " ")
    return " ".join(line.split()) if _WORD.search(line) else ""
