"""When a run searched, as its ledger has it: days, so that a report that is made again says the same."""

from collections.abc import Iterable
from typing import Final

from elcano.graphs.references.days import format_utc_day
from elcano.storage.ledger import LedgerEntry
from elcano.storage.lineage import step_of_branch

_SEARCH: Final = "search"


def days_of(lines: Iterable[LedgerEntry], earlier: Iterable[str] = ()) -> tuple[str, ...]:
    """The first and the last day in UTC on which a search was answered, once if they are the same; empty for none.

    Args:
        lines: of the ledger.
        earlier: such days of the run that this one began as.
    """
    answered = (one for one in lines if one.kind == "tool" and one.name == _SEARCH and one.outcome == "completed")
    days = sorted({*earlier, *(format_utc_day(one.at) for one in answered if not one.undone)} - {""})
    return tuple(dict.fromkeys((days[0], days[-1]))) if days else ()


def list_entries_before_step(lines: Iterable[LedgerEntry], run_id: str, step: int) -> list[LedgerEntry]:
    """Those lines of a run and its branches that are of steps before `step`."""
    return [one for one in lines if (one.step if one.run_id == run_id else step_of_branch(one.run_id, run_id)) < step]
