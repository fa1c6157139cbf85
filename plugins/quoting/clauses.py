"""Whether a text states something: whether it has a verb, as far as endings and neighbours tell.

Labels (`Tools for working with data.`) hold a question's words and say nothing. There is no dictionary here, so the
rule errs towards yes: a label that passes costs less than an answer that does not.
"""

import re
from itertools import pairwise
from typing import Final

from elcano.plugins.quoting.language import in_english

_WORD: Final = re.compile(r"[^\W\d_](?:[\w.'\u2019()-]*\w)?['\u2019]?")
_VERBS: Final = """
am is are was were be been has have had do does did can cannot could may might must shall should will would isn't aren't
wasn't weren't don't doesn't didn't can't couldn't won't wouldn't shouldn't hasn't haven't let's it's that's there's
you'll you're you've we'll we're
"""
_ORDERS: Final = """
to use set call create pass avoid never always only make ensure write run add wrap consider do keep let
"""
"""First words of an order, or of the purpose before one: `To stop it, call ...`."""
_DETERMINERS: Final = """
a an the this that these those its their his her your our my any each every all some no
"""
_PREPOSITIONS: Final = "of for with by about between and or in on from to as at into"
"""With what follows a noun as well; `and` and `or` too."""
_QUANTITIES: Final = "is are other many most several different following two three both such more than"
_OBJECTS: Final = "it them you us one what how whether when if to in on at from into as only not be"

_ALWAYS: Final = frozenset(_VERBS.split())
"""Words that make a clause wherever they stand."""
_FIRST: Final = frozenset(_ORDERS.split())
_AFTER_NOUN: Final = frozenset(_PREPOSITIONS.split())
_BEFORE_NOUN: Final = frozenset(f"{_DETERMINERS} {_PREPOSITIONS} {_QUANTITIES}".split())
"""After one of these, a word that ends like a verb is a noun in the plural or part of a name."""
_AFTER_ORDER: Final = frozenset(f"{_DETERMINERS} {_OBJECTS}".split()) - _AFTER_NOUN
_AFTER_VERB: Final = _AFTER_ORDER | frozenset(_OBJECTS.split())


def states(text: str) -> bool:
    """Whether `text` has a verb of its own: `X returns the Y`, `Handlers send records`, `Protect the file`.

    Of languages whose verbs are not known here it is taken to have one.
    """
    if not in_english():
        return True
    words = [word.lower().replace("\u2019", "'") for word in _WORD.findall(text)]
    if not _ALWAYS.isdisjoint(words):
        return True
    if len(words) < 2:
        return False
    first, second = words[:2]
    if second in _AFTER_ORDER or (first in _FIRST and second not in _AFTER_NOUN):
        return True
    if first.endswith("s") and second not in _AFTER_NOUN and not second.endswith(("ing", "ed")):
        return True  # A plural before its verb.
    return any(
        before not in _BEFORE_NOUN and not before.endswith("'") and _is_verb(word, after)
        for (before, word), (_, after) in pairwise(pairwise(words))
    )


def _is_verb(word: str, after: str) -> bool:
    """`provides robust support`, `is designed to`; not `handlers included`."""
    if len(word) <= 3 or after.endswith("ed"):
        return False
    return (word.endswith("s") and not word.endswith(("ss", "us"))) or (word.endswith("ed") and after == "to")
