"""A query as arXiv takes it: plain words become terms that all have to be there, its own syntax passes as it is.

What looks like its syntax but does not close its brackets or quotation marks is taken for words: the service answers
such queries with an error, or with something else than was asked.
"""

import re
from typing import Final

from elcano.activities.sources.documents.query import search_words
from elcano.activities.text.stems import content_words
from elcano.activities.text.words import words
from elcano.graphs.values import works

MOST_TERMS: Final = 40
"""Each of them narrows what is found; a longer query finds nothing anyway."""

_FIELD: Final = re.compile(r"(?<![\w:])(?:ti|au|abs|co|jr|cat|rn|all|submittedDate|lastUpdatedDate):(?=[\w\"(\[])")
"""The prefixes of the API User's Manual."""
_OPERATOR: Final = re.compile(r"(?<!\S)(?:AND|OR|ANDNOT)(?!\S)")
_DANGLING: Final = re.compile(r"^\W*(?:AND|OR|ANDNOT)\b|\b(?:AND|OR|ANDNOT)\W*$")
_PHRASE: Final = re.compile(r"\"([^\"]*)\"")
_ONE_ID: Final = re.compile(r"(?i)(?:arxiv:)?(\d{4}\.\d{4,5}|[a-z][a-z.-]{1,20}/\d{7})(v\d{1,3})?")


def parameters(query: str) -> dict[str, str]:
    """`search_query`, or `id_list` where the query is nothing but an arXiv id; empty if it has no word."""
    asked = " ".join(query.split())
    if (found := _ONE_ID.fullmatch(asked)) and works.arxiv(found[1]):
        return {"id_list": f"{found[1]}{(found[2] or '').lower()}"}
    if (_FIELD.search(asked) or _OPERATOR.search(asked)) and _closed(asked):
        return {"search_query": asked}
    terms = " AND ".join(_terms(asked))
    return {"search_query": terms} if terms else {}


def _closed(asked: str) -> bool:
    """Whether every bracket and quotation mark is closed, and no operator stands where a term should."""
    if asked.count('"') % 2:
        return False
    open_brackets: list[str] = []
    for character in _PHRASE.sub(" ", asked):
        if character in "([":
            open_brackets.append(")" if character == "(" else "]")
        elif character in ")]" and (not open_brackets or open_brackets.pop() != character):
            return False
    return not open_brackets and not _DANGLING.search(_PHRASE.sub("x", asked))


def _terms(asked: str) -> list[str]:
    """Each phrase in quotation marks, and each telling word outside of them, once; any words if none tells."""
    phrases = _PHRASE.findall(asked) if asked.count('"') % 2 == 0 else []
    quoted = [" ".join(words(phrase)) for phrase in phrases]
    rest = _OPERATOR.sub(" ", _FIELD.sub(" ", _PHRASE.sub(" ", asked) if phrases else asked))
    plain = content_words(rest) or (() if any(quoted) else search_words(rest))
    return [*(f'all:"{phrase}"' for phrase in dict.fromkeys(quoted) if phrase), *(f"all:{word}" for word in plain)][
        :MOST_TERMS
    ]
