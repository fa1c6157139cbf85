"""The logs of the sections whose outcomes a run's steps hold: its own, and those that it shares as a fork.

A fork is given the logs of the sections that it shares, so that it outlives the run that it was made from.
"""

from elcano.graphs.lifecycle.step_history import iter_fanout_visits, section_id
from elcano.graphs.records import RunLog
from elcano.storage.artifacts import LOG_TYPE
from elcano.storage.store import TenantStore


async def section_logs(log: RunLog, store: TenantStore) -> dict[str, str]:
    """Keys of the logs of all branches, of branches of branches too, by the branch's run id.

    One that was ended from outside left none.
    """
    run_id = log.asked.run_id
    found = {one.run_id: one.log for one in await store.runs.all_branches(run_id) if one.log}
    others = {one for one in _list_held_branches(log) if not one.startswith(f"{run_id}.")}
    return found | (await _find_given_logs(run_id, others, store) if others else {})


async def shared_logs(log: RunLog, store: TenantStore) -> tuple[str, ...]:
    """Return the keys of the logs of the sections whose outcomes the steps in `log` hold, and of their subsections."""
    held = _list_held_branches(log)
    return tuple(key for run_id, key in (await section_logs(log, store)).items() if _is_of(run_id, held))


def _list_held_branches(log: RunLog) -> set[str]:
    """The run ids of all branches that the steps of a run hold the outcomes of."""
    return {section_id(visit, outcome) for visit in iter_fanout_visits(log) for outcome in visit.outcomes}


async def _find_given_logs(run_id: str, others: set[str], store: TenantStore) -> dict[str, str]:
    """Return the logs that a fork was given of these branches and of theirs."""
    found: dict[str, str] = {}
    for key in await store.artifacts.keys(run_id, LOG_TYPE):
        kept = await store.artifacts.get(key)
        owner = RunLog.model_validate_json(kept).asked.run_id if kept is not None else ""
        if _is_of(owner, others):
            found[owner] = key
    return found


def _is_of(run_id: str, branches: set[str]) -> bool:
    return any(run_id == one or run_id.startswith(f"{one}.") for one in branches)
