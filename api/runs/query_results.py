"""A run's query results: those that its answer rests on, or else all found so far.

A result is kept as a table and as evidence before anybody is told of it, so it can be read while the run goes on, and
after one that wrote no answer: it was stopped or cancelled, its model refused, its budget was spent. Results that a run
took over from the one that it follows are not its own.
"""

import asyncio
from dataclasses import dataclass
from typing import Final

from elcano.api.http.errors import ReportLost
from elcano.api.http.schemas import RunView
from elcano.graphs.report.data_answer import DataAnswer
from elcano.graphs.report.report import Report
from elcano.graphs.report.tables import RESULT_EVIDENCE, ResultTable
from elcano.storage.store import TenantStore

MOST_RESULTS: Final = 999
"""That are counted, the first ones."""


@dataclass(frozen=True)
class KnownResult:
    """A result that is in the store."""

    number: int
    artifact: str
    table: ResultTable


async def load_data_answer(run: RunView, store: TenantStore) -> DataAnswer | None:
    """What the report of a run has of results; None if there is no report, or it rests on none.

    Raises:
        ReportLost: the store does not have the report.
    """
    if run.report is None:
        return None
    stored = await stored_artifact(run.report.artifact, store)
    if '"data":' not in stored:  # most reports have none, and a long one takes a while to read
        return None
    return (await asyncio.to_thread(Report.model_validate_json, stored)).data


async def found_keys(run: RunView, store: TenantStore) -> dict[int, str]:
    """Artifact hashes of the results that a run and its branches have found, by the numbers that they are counted by.

    They are counted in the order in which the run has them; behind those what a branch found that handed nothing over.
    """
    kept = await store.runs.get(run.run_id)
    known = dict.fromkeys(kept.evidence if kept else ()) | dict.fromkeys(await store.evidence.ids_of_run(run.run_id))
    before = set(await store.evidence.ids_of_run(run.previous_run)) if run.previous_run else set()
    own = [one for one in known if one.startswith(RESULT_EVIDENCE) and one not in before][:MOST_RESULTS]
    return {number: one.removeprefix(RESULT_EVIDENCE) for number, one in enumerate(own, start=1)}


async def load_found_results(run: RunView, store: TenantStore) -> list[KnownResult]:
    """The same with their tables.

    Raises:
        ReportLost: the store does not have one of them.
    """
    return [
        KnownResult(number, key, await asyncio.to_thread(_parse_result_table, await stored_artifact(key, store)))
        for number, key in (await found_keys(run, store)).items()
    ]


async def stored_artifact(key: str, store: TenantStore) -> str:
    """Return the artifact stored under a hash that a run names.

    Raises:
        ReportLost: the store does not have it.
    """
    stored = await store.artifacts.get(key)
    if stored is None:
        raise ReportLost(f"the store does not have {key!r}; is this the run's data directory?")
    return stored


def _parse_result_table(stored: str) -> ResultTable:
    return ResultTable.model_validate_json(stored)
