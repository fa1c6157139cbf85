"""Which edition a query asks: `de: Wale` the German one, a query without a prefix the English one.

Only editions that are listed here are prefixes. A query may begin with any word and a colon, and what stands before it
becomes a part of the address that is asked.
"""

import re
from typing import Final, NamedTuple

DEFAULT: Final = "en"
_CODES: Final = """
    af ar arz az be bg bn bs ca ceb cs cy da de el en eo es et eu fa fi fr ga gl he hi hr hu hy id is it ja ka kk ko la
    lt lv mk ml mr ms nl nn no pl pt ro ru simple sk sl sq sr sv sw ta te th tl tr uk ur uz vi war zh
"""
EDITIONS: Final = frozenset(_CODES.split())
"""The codes of the larger editions, as in their addresses."""
_PREFIX: Final = re.compile(r"\s*([a-z]{2,6})\s*:\s*(?=\S)", re.IGNORECASE)


class Asked(NamedTuple):
    """A query, parted."""

    edition: str
    words: str
    """On one line."""


def parse_edition_query(query: str) -> Asked:
    """The edition and the words of `query`."""
    found = _PREFIX.match(query)
    if found is not None and found[1].lower() in EDITIONS:
        return Asked(found[1].lower(), " ".join(query[found.end() :].split()))
    return Asked(DEFAULT, " ".join(query.split()))
