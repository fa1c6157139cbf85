"""Whether a query in a service's own syntax is whole: services stumble over one that is not, or find less."""

import re
from typing import Final

PHRASE: Final = re.compile(r"\"([^\"]*)\"")
_OPERATORS: Final = r"(?:AND|OR|NOT|ANDNOT)"
_DANGLING: Final = re.compile(rf"^\W*(?:AND|OR|ANDNOT)\b|\b{_OPERATORS}\W*$")


def is_well_formed_query(asked: str) -> bool:
    """Whether every bracket and quotation mark is closed, and no operator stands where a term should.

    Args:
        asked: on one line.
    """
    if asked.count('"') % 2:
        return False
    open_brackets: list[str] = []
    for character in PHRASE.sub(" ", asked):
        if character in "([":
            open_brackets.append(")" if character == "(" else "]")
        elif character in ")]" and (not open_brackets or open_brackets.pop() != character):
            return False
    return not open_brackets and not _DANGLING.search(PHRASE.sub("x", asked))
