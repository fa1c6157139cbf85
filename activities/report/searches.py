"""When a run searched, as its ledger has it: days, so that a report that is made again says the same."""

from collections.abc import Iterable
from typing import Final

from elcano.graphs.references.days import day
from elcano.storage.ledger import LedgerEntry

_SEARCH: Final = "search"


def days_of(lines: Iterable[LedgerEntry]) -> tuple[str, ...]:
    """The first and the last day in UTC on which a search was answered, once if they are the same; empty for none."""
    answered = (one for one in lines if one.kind == "tool" and one.name == _SEARCH and one.outcome == "completed")
    days = sorted({day(one.at) for one in answered if not one.undone} - {""})
    return tuple(dict.fromkeys((days[0], days[-1]))) if days else ()
