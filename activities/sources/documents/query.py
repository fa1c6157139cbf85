"""A question as an FTS5 expression: its content words, each quoted, any of them enough."""

import re
import unicodedata
from typing import Final

MOST_WORDS: Final = 40
"""A query is asked for at most so many different words; each costs a pass over the passages that have it."""

_WORD: Final = re.compile(r"[^\W_]+")

_STOP_WORDS: Final = """
a about above after again all also am an and any are as at be because been before being below between both but by can
cannot could did do does doing done down during each either else ever every few for from further get had has have having
he her here hers him his how however i if in into is it its itself just let like may me might mine more most must my
neither no nor not now of off on once one only or other our out over own per quite rather really s same shall she should
so some such t than that the their them then there these they this those through to too under until up upon us use used
using very via was we were what when where whether which while who whom whose why will with within without would yes yet
you your describe explain
"""
STOP_WORDS: Final = frozenset(_STOP_WORDS.split())
"""Words that say nothing of the topic: function words of English and the words of a question."""


def words(text: str) -> list[str]:
    """The different words of `text` in lower case, in the order of their first use."""
    return list(dict.fromkeys(_WORD.findall(unicodedata.normalize("NFC", text).lower())))


def content_words(text: str) -> list[str]:
    """The words of `text` that can tell one passage from another; all of them if none can."""
    every = words(text)
    return ([word for word in every if word not in STOP_WORDS] or every)[:MOST_WORDS]


def expression(query: str) -> str:
    """What FTS5 is asked: nothing of the query but letters and digits reaches it. Empty if there are none."""
    return " OR ".join(quoted(word) for word in content_words(query))


def quoted(word: str) -> str:
    """`word` as a string of FTS5, whatever is in it."""
    return '"' + word.replace('"', '""').replace("\0", "") + '"'
