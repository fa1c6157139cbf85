"""A query as arXiv takes it: its own syntax passes as it is, plain words become terms.

All of a few words have to be there, of many any, since hardly an abstract has all; phrases always have to be.

What looks like its syntax but does not close its brackets or quotation marks is taken for words: the service answers
such queries with an error, or with something else than was asked.
"""

import re
from typing import Final, NamedTuple

from elcano.activities.sources.documents.query import search_words
from elcano.activities.sources.literature.syntax import PHRASE, is_well_formed_query
from elcano.activities.text.stems import content_words
from elcano.activities.text.words import split_words
from elcano.graphs.values import work_metadata

ALL_WORDS: Final = 4
"""Of more telling words any are asked for."""
MOST_TERMS: Final = 40
"""Words, and phrases, of one query."""

_FIELD: Final = re.compile(r"(?<![\w:])(?:ti|au|abs|co|jr|cat|rn|all|submittedDate|lastUpdatedDate):(?=[\w\"(\[])")
"""The prefixes of the API User's Manual."""
_OPERATOR: Final = re.compile(r"(?<!\S)(?:AND|OR|ANDNOT)(?!\S)")
_ONE_ID: Final = re.compile(r"(?i)(?:arxiv:)?(\d{4}\.\d{4,5}|[a-z][a-z.-]{1,20}/\d{7})(v\d{1,3})?")


class Parameters(NamedTuple):
    """What arXiv is asked."""

    sent: dict[str, str]
    """`search_query` or `id_list`; empty if the query has no word."""
    any_of: bool
    """Whether a work needs to have only some of the words."""


def build_arxiv_parameters(query: str) -> Parameters:
    """An arXiv id alone asks for that paper, arXiv's own syntax is sent as it is, and words become terms."""
    asked = " ".join(query.split())
    if (found := _ONE_ID.fullmatch(asked)) and work_metadata.parse_arxiv_id(found[1]):
        return Parameters({"id_list": f"{found[1]}{(found[2] or '').lower()}"}, any_of=False)
    if (_FIELD.search(asked) or _OPERATOR.search(asked)) and is_well_formed_query(asked):
        return Parameters({"search_query": asked}, any_of=False)
    phrases, words = _extract_terms(asked)
    many = len(words) > ALL_WORDS
    either = " OR ".join(words)
    terms = [*phrases, *([f"({either})" if phrases else either] if many else words)]
    return Parameters({"search_query": " AND ".join(terms)} if terms else {}, any_of=many)


def _extract_terms(asked: str) -> tuple[list[str], list[str]]:
    """Each phrase in quotation marks, and each telling word outside of them, once; any words if none tells."""
    phrases = PHRASE.findall(asked) if asked.count('"') % 2 == 0 else []
    quoted = [plain for phrase in phrases if (plain := " ".join(split_words(phrase)))]
    rest = _OPERATOR.sub(" ", _FIELD.sub(" ", PHRASE.sub(" ", asked) if phrases else asked))
    telling = content_words(rest) or (() if quoted else search_words(rest))
    return (
        [f'all:"{phrase}"' for phrase in dict.fromkeys(quoted)][:MOST_TERMS],
        [f"all:{word}" for word in telling][:MOST_TERMS],
    )
