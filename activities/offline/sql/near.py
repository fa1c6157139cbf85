"""Names that look like another one: by their letters, by the words in them, and by a few words for one thing."""

from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Final

from elcano.activities.offline.sql.wording import cut

LEAST: Final = 0.6
"""Likeness below which a name is no candidate; of 20 broken queries it let the right names through and few others."""
_SAME: Final = (
    "price cost amount", "customer client", "name title label", "date day time", "count number quantity qty num",
    "id key code identifier", "employee staff worker salesperson", "city town", "country nation",
    "revenue sale turnover",
    "phone telephone", "mail email", "product item article", "order purchase", "make brand manufacturer",
)  # fmt: skip
_GROUPS: Final = {word: group.split()[0] for group in _SAME for word in group.split()}


def likeness(first: str, second: str) -> float:
    """How much two names look like each other, from 0 to 1; 1 if only case and underscores differ.

    >>> likeness("customerid", "customer_id")
    1.0
    """
    plain = ["".join(cut(one)) for one in (first, second)]
    if plain[0] == plain[1]:
        return 1.0
    letters = SequenceMatcher(None, plain[0], plain[1]).ratio()
    words = [{_GROUPS.get(word, word) for word in cut(one)} for one in (first, second)]
    shared = len(words[0] & words[1]) / max(1, len(words[0] | words[1]))
    return max(letters * 0.98, shared * 0.97)


def nearest(name: str, among: Iterable[str], preferred: Iterable[str] = ()) -> tuple[str, float] | None:
    """The name of `among` that is most like `name`, with its likeness; None: none is alike, or two are equally so.

    One of `preferred`, which the database or the check named, wins over others that are alike.
    """
    wanted = set(preferred)
    scored = sorted(((likeness(name, one) + 0.05 * (one in wanted), one) for one in dict.fromkeys(among)), reverse=True)
    if not scored or scored[0][0] < LEAST:
        return None
    if len(scored) > 1 and scored[0][0] == scored[1][0]:
        return None
    return scored[0][1], min(1.0, scored[0][0])
