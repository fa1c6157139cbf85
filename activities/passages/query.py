"""A question as an FTS5 expression: the words to search for, each quoted, any of them enough.

A collection may be in several languages, and each document's words are indexed in the forms of its own. So a word is
searched for in the form that it has in each of the collection's languages.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import snowballstemmer

from elcano.activities.passages.word_forms import format_index_word
from elcano.activities.text.languages import ENGLISH
from elcano.activities.text.stopwords import stop_words
from elcano.activities.text.words import asked_words, split_words

MOST_WORDS: Final = 40
"""A query is asked for at most so many different words; each costs a pass over the passages that have it."""


def search_words(query: str, language: str = ENGLISH) -> list[str]:
    """The different words of `query` that can tell one passage from another; all of them if none can.

    Args:
        query: a question or some words.
        language: the one it is in, whose stop words are left out.
    """
    telling = asked_words(query, stop_words(language)) or split_words(query)
    return list(dict.fromkeys(telling))[:MOST_WORDS]


def build_fts_expression(query: str, language: str = ENGLISH, searched: Sequence[str] = (ENGLISH,)) -> str:
    """What FTS5 is asked: nothing of the query but its words reaches it. Empty if there are none.

    Args:
        query: a question or some words.
        language: the one it is in.
        searched: those of the documents.
    """
    every = [one for word in search_words(query, language) for one in list_word_forms(word, searched)]
    return " OR ".join(map(quote_fts_word, dict.fromkeys(every)))


def list_word_forms(word: str, searched: Sequence[str]) -> list[str]:
    """The different forms that `word` has in the index, for documents in the languages `searched`."""
    by_token = {_stem_token(one): one for one in (format_index_word(word, language) for language in reversed(searched))}
    return list(reversed(by_token.values())) or [word]


def quote_fts_word(word: str) -> str:
    """Return `word` as an FTS5 string, whatever characters it contains."""
    return '"' + word.replace('"', '""').replace("\0", "") + '"'


@lru_cache(maxsize=10_000)
def _stem_token(word: str) -> str:
    """Return roughly the token that the index makes of `word`: forms with one token would be counted twice."""
    return str(snowballstemmer.stemmer("porter").stemWord(word))
