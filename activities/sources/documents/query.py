"""A question as an FTS5 expression: the words to search for, each quoted, any of them enough."""

from typing import Final

from elcano.activities.text.stopwords import STOP_WORDS
from elcano.activities.text.words import words

MOST_WORDS: Final = 40
"""A query is asked for at most so many different words; each costs a pass over the passages that have it."""


def search_words(query: str) -> list[str]:
    """The different words of `query` that can tell one passage from another; all of them if none can."""
    every = list(dict.fromkeys(words(query)))
    return ([word for word in every if word not in STOP_WORDS] or every)[:MOST_WORDS]


def expression(query: str) -> str:
    """What FTS5 is asked: nothing of the query but its words reaches it. Empty if there are none."""
    return " OR ".join(quoted(word) for word in search_words(query))


def quoted(word: str) -> str:
    """`word` as a string of FTS5, whatever is in it."""
    return '"' + word.replace('"', '""').replace("\0", "") + '"'
