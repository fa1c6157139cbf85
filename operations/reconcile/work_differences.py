"""The work of a run that its history and the store do not agree on: the ledger, passages and artifacts.

The ledger has what was paid. A line whose call the history does not know is of work that will be done again: it stays
in the sums, and no longer counts for the run. A step whose usage the history knows and the ledger does not gets a line.
A run that refers to passages or drafts that are gone goes back to before the step that found them.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from typing import Final

from temporalio.api.enums.v1 import EventType

from elcano.graphs.engine.control_actions import RollBack
from elcano.graphs.engine.entries import Held, RunResumed, StepAbandoned, StepCompleted, StepFailed
from elcano.graphs.lifecycle.resume_input import list_draft_artifacts
from elcano.graphs.lifecycle.start_and_fold import before_step
from elcano.graphs.records import ArchivedRun, RunLog
from elcano.graphs.run_contracts import ControlRequest
from elcano.graphs.spec.graph import AgentNode, ToolNode
from elcano.graphs.state.budget import Usage, sum_usages
from elcano.operations.reconcile.installation import CannotMend, Installation, describe_start, list_branch_executions
from elcano.service.errors import RunForgotten, RunUnreadable, UpdateRefused, WorkerUnavailable
from elcano.service.runs.run_log import read_log
from elcano.service.temporal.history import read_history
from elcano.storage.ledger import LedgerEntry
from elcano.storage.lineage import step_of_branch
from elcano.storage.objects import artifacts_of
from elcano.storage.plugin_store import Difference

FROM_HISTORY: Final = "@history"
"""Suffix of the activity of a line that was made from a history."""


async def compare_work(
    installation: Installation, run: ArchivedRun, *, is_open: bool = True
) -> AsyncIterator[Difference]:
    """Compare the work of a run in the store with that in Temporal: what is missing, and what is too much.

    Nothing of a run that Temporal does not know. Without a worker only the ledger's lines are compared that are ahead.
    A run that is not open cannot go back: what it found and is gone stays gone.
    """
    lines = await installation.store.of(run.tenant).ledger.entries(run.run_id, branches=True)
    try:
        ahead = await _find_lines_ahead(installation, run, lines)
        branches = await list_branch_executions(await installation.temporal.client(), run.run_id)
    except RunForgotten:
        return
    if ahead:
        tokens = sum_usages(line.usage for line in ahead).tokens
        text = f"the ledger has {len(ahead)} calls ({tokens:,} tokens) that its history does not know"
        action = "mark them as undone: they stay paid, and will be made again"
        mend = partial(installation.rows.set_aside, run.tenant, ahead)
        yield Difference("ledger_ahead", run.tenant, run.run_id, text, action, mend)
    for run_id in (run.run_id, *branches):
        try:
            log = await read_log(
                run.model_copy(update={"run_id": run_id, "status": "running", "log": ""}),
                installation.temporal,
                installation.store.of(run.tenant),
            )
        except (RunForgotten, RunUnreadable, WorkerUnavailable):
            continue
        behind = list(_find_missing_lines(run_id, run, log, await _read_lines(installation, run, run_id)))
        if behind:
            tokens = sum_usages(line.usage for line in behind).tokens
            text = f"its history has {len(behind)} steps that used {tokens:,} tokens of which the ledger knows nothing"
            mend = partial(_record_lines, installation, run.tenant, behind)
            yield Difference("ledger_behind", run.tenant, run_id, text, "add them to the ledger", mend)
        unfound = await _find_unnamed_passages(installation, run, log)
        if unfound:
            text = f"it refers to {len(unfound)} passages that are in the store, where none of its findings names them"
            mend = partial(installation.rows.add_findings, run.tenant, run_id, unfound)
            yield Difference("findings_missing", run.tenant, run_id, text, "make them its findings again", mend)
        lost = await _find_lost_work(installation, run, log) if is_open else frozenset()
        if lost:
            step = _find_first_step(log, lost) if run_id == run.run_id else step_of_branch(run_id, run.run_id)
            text = f"it refers to {len(lost)} passages or drafts that are in the store no more"
            action = f"roll it back to before step {step}, which finds them again"
            mend = partial(_roll_back, installation, run, step, lost)
            yield Difference("work_lost", run.tenant, run_id, text, action, mend)
            return


async def _find_lines_ahead(
    installation: Installation, run: ArchivedRun, lines: Sequence[LedgerEntry]
) -> list[LedgerEntry]:
    """The lines whose calls are in no history.

    A call is scheduled before its line is written, and the lines were read before the histories are: so a call that is
    under way is none of them.
    """
    client = await installation.temporal.client()
    _, root_began = await describe_start(client, run.run_id)
    by_execution: dict[tuple[str, str], list[LedgerEntry]] = defaultdict(list)
    for line in lines:
        if not line.undone and line.execution:
            by_execution[line.run_id, line.execution].append(line)
    ahead: list[LedgerEntry] = []
    for (run_id, execution), made in by_execution.items():
        try:
            scheduled = await _read_scheduled(installation, run_id, execution)
        except RunForgotten:  # of the time before the last execution began, the server may have deleted it
            ahead += [line for line in made if line.at > await _last_start(installation, run_id, root_began)]
            continue
        ahead += [line for line in made if line.activity not in scheduled]
    return ahead


async def _last_start(installation: Installation, run_id: str, root_began: float) -> float:
    """When the last execution of a run or section began; of a section that is not known, that of its run."""
    try:
        return (await describe_start(await installation.temporal.client(), run_id))[1]
    except RunForgotten:
        return root_began


async def _read_scheduled(installation: Installation, run_id: str, execution: str) -> set[str]:
    """The ids of the activities that an execution has scheduled."""
    client = await installation.temporal.client()
    return {
        event.activity_task_scheduled_event_attributes.activity_id
        async for event in read_history(client, run_id, execution)
        if event.event_type == EventType.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED
    }


async def _read_lines(installation: Installation, run: ArchivedRun, run_id: str) -> list[LedgerEntry]:
    """The lines of a run, or of a section of it. They are read after the log: the ledger knows a call first."""
    return await installation.store.of(run.tenant).ledger.entries(run_id)


def _find_missing_lines(
    run_id: str, run: ArchivedRun, log: RunLog, lines: Iterable[LedgerEntry]
) -> Iterator[LedgerEntry]:
    """The lines that the ledger lacks, one for each step that used more than it knows."""
    called = {node.id for node in log.asked.graph.nodes if isinstance(node, AgentNode | ToolNode)}
    agents = {node.id: node.agent for node in log.asked.graph.nodes if isinstance(node, AgentNode)}
    known: dict[int, Usage] = defaultdict(Usage)
    for line in lines:
        if not line.undone:
            known[line.step] += line.usage
    forked = next((i for i, one in enumerate(log.entries) if isinstance(one, RunResumed) and one.from_run), -1)
    used: dict[int, list[StepCompleted | StepFailed | StepAbandoned | Held]] = defaultdict(list)
    for entry in log.entries[forked + 1 :]:
        if isinstance(entry, StepCompleted | StepFailed | StepAbandoned | Held) and entry.node in called:
            used[entry.step].append(entry)
    for step, entries in used.items():
        missing = _subtract_usage(sum_usages(entry.usage for entry in entries), known[step])
        if missing != Usage():
            last = entries[-1]
            yield LedgerEntry(
                run_id=run_id,
                activity=f"{step:04d}-{last.node}{FROM_HISTORY}",
                step=step,
                attempt=1,
                node=last.node,
                kind="agent" if last.node in agents else "tool",
                name=agents.get(last.node, last.node),
                model=last.model if isinstance(last, StepCompleted) else "",
                usage=missing,
                at=run.started_at + last.at,
            )


def _subtract_usage(used: Usage, known: Usage) -> Usage:
    """The usage beyond the known one; nothing where the ledger knows more."""
    fields = ("requests", "input_tokens", "output_tokens", "cost_microusd", "unpriced_requests")
    return Usage(**{name: max(0, getattr(used, name) - getattr(known, name)) for name in fields})


async def _find_unnamed_passages(installation: Installation, run: ArchivedRun, log: RunLog) -> list[str]:
    """The passages of a log that are in the store and that no finding of the run refers to."""
    passages = [ref.id for ref in log.run.state.evidence]
    unnamed = await installation.rows.read_unfound_passages(run.tenant, run.run_id, passages)
    missing = await installation.rows.read_missing_passages(run.tenant, unnamed)
    return [passage for passage in unnamed if passage not in missing]


async def _find_lost_work(installation: Installation, run: ArchivedRun, log: RunLog) -> frozenset[str]:
    """The passages and drafts of a log that the store does not have. What is found is stored before a log has it."""
    passages = [ref.id for ref in log.run.state.evidence]
    lost = await installation.rows.read_missing_passages(run.tenant, passages)
    for key in list_draft_artifacts(log.run):
        if await installation.objects.get(f"{artifacts_of(run.tenant, run.run_id)}/{key}") is None:
            lost.add(key)
    return frozenset(lost)


def _find_first_step(log: RunLog, lost: Collection[str]) -> int:
    """The first step after which a run refers to something that is lost: state only grows, so it can be halved."""
    low, high = 1, log.run.step
    while low < high:
        middle = (low + high + 1) // 2
        before = before_step(log, middle).run
        known = {*(ref.id for ref in before.state.evidence), *list_draft_artifacts(before)}
        low, high = (low, middle - 1) if known & set(lost) else (middle, high)
    return low


async def _roll_back(installation: Installation, run: ArchivedRun, step: int, lost: Collection[str]) -> None:
    """Have a run go back to before a step; asked again for the same reason, it does so once.

    Raises:
        CannotMend: it refuses.
        TemporalUnavailable, OutcomeUnknown: it is not known whether it does.
    """
    text = f"{len(lost)} passages or drafts are in the store no more"
    request = ControlRequest(action=RollBack(step=step, reason=text), by="reconcile")
    request_id = f"reconcile-{sha256('/'.join((str(step), *sorted(lost))).encode()).hexdigest()[:32]}"
    try:
        await installation.temporal.control(run.run_id, request, request_id)
    except UpdateRefused as error:
        raise CannotMend(f"the run refuses to go back to before step {step}: {error}") from error


async def _record_lines(installation: Installation, tenant: str, lines: Iterable[LedgerEntry]) -> None:
    ledger = installation.store.of(tenant).ledger
    for line in lines:
        await ledger.record(line)
