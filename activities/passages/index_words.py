"""Words as the index has them, and questions as FTS5 expressions of them.

Words of a document are indexed in forms: English as written, other languages as stems of their own.

The index parts words at what is no letter, digit or mark, leaves accents out, and stems what it gets by Porter's
English rules. So English texts go in as they are, which is fastest. A text of another language goes in as the stems of
its words, which Porter's rules then shorten once more, in the text and in the query alike. All languages share one
space of words: a name is found in documents of any language, and how rare a word is, is counted over all of them.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, Final

from elcano.activities.text.languages import ENGLISH, UNSPACED, stemmer_of, stop_words
from elcano.activities.text.stems import root_in
from elcano.activities.text.words import asked_words, flatten_exponents, space_out_pairs, split_words

TOKENIZER: Final = "porter unicode61 categories 'L* N* Co Mn Mc'"
"""The signs of Hindi, Tamil or Thai are letters and marks; without the marks their words would fall apart."""


def format_index_text(text: str, language: str) -> str:
    """Return the form of `text`, in `language`, for the index."""
    if not _is_stemmed(language):
        return space_out_pairs(flatten_exponents(text))
    return " ".join([root_in(language, word) for word in split_words(text)])


def format_index_word(word: str, language: str) -> str:
    """Return the index's form of one of `words` in texts in `language`."""
    return root_in(language, word) if _is_stemmed(language) else word


def _is_stemmed(language: str) -> bool:
    return language != ENGLISH and language not in UNSPACED and bool(stemmer_of(language))


MOST_WORDS: Final = 40
"""Maximum number of different words of a query; each costs a pass over the passages that have it."""


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
    return str(_load_porter_stemmer().stemWord(word))


@cache
def _load_porter_stemmer() -> Any:
    import snowballstemmer  # loads the rules of forty languages

    return snowballstemmer.stemmer("porter")
