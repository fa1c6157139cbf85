"""The calls of tools: all items of a step at once, each in its source's queue and with its source's patience.

A search whose source cannot answer now holds the run; what the others of its step found is kept by the hold, and
nothing of it is done again. Once something was found, a source that stays away for too long is data like any failure.
"""

import asyncio
from dataclasses import replace
from typing import Literal

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.catalogue.sources import SOURCES, SourcePolicy, SourceSpec
    from elcano.graphs.catalogue.tools import ItemOutcome, ItemOutcomes
    from elcano.graphs.contracts import ToolCall, ToolResult
    from elcano.graphs.engine.entries import CallTool, Held, StepAbandoned, StepCompleted
    from elcano.graphs.engine.routing import broken_sources
    from elcano.graphs.frozen import JsonObject
    from elcano.graphs.lifecycle.journal import Journal
    from elcano.graphs.run_contracts import ResearchInput, format_label
    from elcano.graphs.spec.graph import limits_of
    from elcano.graphs.state.budget import Usage
    from elcano.graphs.state.failures import Failure, FailureType, Hold
    from elcano.graphs.state.state import RELATED
    from elcano.workflows import retry_policies
    from elcano.workflows.holds import Approvals
    from elcano.workflows.outcomes import LostCall, Outcome, await_outcome, build_failed_outcome, build_step_place


_NAMED = ("source", "query", "server", "tool")
"""The inputs that name a call for people."""


class ToolCalls:
    """Performs the calls of tools for one run."""

    def __init__(self, asked: ResearchInput, journal: Journal, approvals: Approvals) -> None:
        self._asked = asked
        self._journal = journal
        self._approvals = approvals

    async def perform(self, work: CallTool) -> Outcome:
        """All items; with `for_each` an item that fails is data, without it fails the node."""
        tried = self._journal.run.tried
        kept = {item.index: item for item in ItemOutcomes.model_validate(tried.progress).items} if tried else {}
        tries = tried.tries if tried else 0
        open_items = [item for item in range(len(work.inputs)) if item not in kept]
        try:
            results = await asyncio.gather(*(self._allowed(work, item, tries) for item in open_items))
        except asyncio.CancelledError:  # each item has ended nevertheless
            return StepAbandoned(step=work.step, node=work.node, at=self._elapsed())
        if any(isinstance(result, LostCall) and result.abandoned for result in results):
            return StepAbandoned(step=work.step, node=work.node, at=self._elapsed())
        by_item = dict(zip(open_items, results, strict=True))
        outcomes = kept | {item: _as_data(work, item, result) for item, result in by_item.items()}
        busy = {
            item: result
            for item, result in by_item.items()
            if isinstance(result, LostCall) and result.failure.type in (FailureType.PROVIDER, FailureType.STORE_DOWN)
        }
        if busy:
            held = self._held(work, busy, {item: one for item, one in outcomes.items() if item not in busy})
            if held is not None:
                return held
        answered = [result for result in results if isinstance(result, ToolResult)]
        waited = min((result.waited for result in answered), default=0.0)
        here = build_step_place(work, self._elapsed(), self._journal.count_idle(waited, workflow.time()))
        told = max((result.told for result in answered), default=0)
        if not work.for_each:
            (only,) = results
            if isinstance(only, LostCall):
                return build_failed_outcome(work, self._elapsed(), only, Usage())
            return StepCompleted(**here, output=only.output, told=told)
        return StepCompleted(**here, output=_build_item_progress(outcomes), told=told)

    async def _allowed(self, work: CallTool, item: int, tries: int) -> ToolResult | LostCall:
        """Returns the result of a call; if the call needs approval, once that is decided."""
        async with self._approvals.call():
            result = await self._call(work, item, tries)
            if not isinstance(result, LostCall) or result.failure.type != FailureType.APPROVAL_NEEDED:
                return result
            if self._asked.approvals == "refuse":
                return result
            approval = await self._approvals.await_decision(work, item, result)
            return approval if isinstance(approval, LostCall) else await self._call(work, item, tries, approval)

    async def _call(self, work: CallTool, item: int, tries: int, approval: str = "") -> ToolResult | LostCall:
        given = work.inputs[item]
        state = self._journal.run.state
        asked = given.get("source")
        # Only since look-backs are chosen as sources are: before, one was refused like any other name.
        looks_back = asked == RELATED and workflow.patched("look-back")
        if asked is not None and state.sources and asked not in state.sources and not looks_back:
            message = f"{asked!r} is not searched in this run; searched are: {', '.join(state.sources)}"
            return LostCall(Failure(node=work.node, type=FailureType.SOURCE_REFUSED, message=message, attempts=0))
        if (name := given.get("source")) in broken_sources(self._journal.run.state, self._journal.run.figures):
            message = f"{name!r} failed too often in this run"
            return LostCall(Failure(node=work.node, type=FailureType.CIRCUIT_OPEN, message=message, attempts=0))
        call = ToolCall(
            run_id=self._asked.run_id,
            tenant=self._asked.tenant,
            step=work.step,
            node=work.node,
            item=item,
            tool=work.tool,
            input=given,
            told=self._journal.last,
            approval=approval,
            trust=self._asked.trust,
        )
        source = _find_source_spec(given)
        given_time = retry_policies.limit_to_run_time(
            retry_policies.choose_tool_policy(work.tool, source),
            self._journal.begun,
            self._journal.run.budget.research_seconds(),
        )
        limits = limits_of(self._asked.graph.by_id[work.node])
        policy, seconds = retry_policies.leave_time_to_worker(
            retry_policies.apply_node_limits(given_time, limits), limits
        )
        activity_id = f"{work.step:04d}-{work.node}" + (f"-{item + 1}" if work.for_each else "")
        described = format_label(
            ": ".join(str(given[key]) for key in _NAMED if given.get(key)) or self._described(work)
        )
        activity = workflow.execute_activity(
            work.tool,
            call.model_copy(update={"seconds": seconds}),
            result_type=ToolResult,
            task_queue=(source.queue or None) if source else None,
            activity_id=activity_id + (f".{tries + 1}" if tries else "") + (".approved" if approval else ""),
            summary=described + (f", try {tries + 1}" if tries else "") + (", approved" if approval else ""),
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
            **policy,
        )
        return _may_have_written(work, await await_outcome(work.node, activity, policy))

    def _described(self, work: CallTool) -> str:
        return self._asked.graph.by_id[work.node].description or work.node

    def _held(self, work: CallTool, busy: dict[int, LostCall], done: dict[int, ItemOutcome]) -> Held | None:
        """The hold for the searches that cannot be answered now; None if they are not waited for any longer."""
        now = workflow.time()
        earlier = self._journal.run.tried
        since = earlier.since if earlier else now
        tries = (earlier.tries if earlier else 0) + 1
        asked_to_wait = max((lost.retry_after or 0.0 for lost in busy.values()), default=0.0)
        kinds = {lost.failure.type for lost in busy.values()}
        reason: Literal["provider", "store"] = "store" if kinds == {FailureType.STORE_DOWN} else "provider"
        seconds = retry_policies.hold_seconds(reason, tries, asked_to_wait, waited=now - since)
        if reason == "provider" and any(item.output is not None for item in done.values()):
            patience = max(_get_source_patience(work.inputs[item]) for item in busy)
            if now + seconds - since > patience or seconds > self._seconds_left():
                return None
        names = dict.fromkeys(str(work.inputs[item].get("source") or work.tool) for item in busy)
        said = dict.fromkeys(lost.failure.message for lost in busy.values())
        hold = Hold(
            reason=reason,
            node=work.node,
            source=", ".join(names) if reason == "provider" else "",
            type=FailureType.PROVIDER if reason == "provider" else FailureType.STORE_DOWN,
            detail="; ".join(said)[:2_000],
            tries=tries,
            since=since,
            until=now + seconds,
            seconds=seconds,
        )
        return Held(step=work.step, node=work.node, at=self._elapsed(), hold=hold, progress=_build_item_progress(done))

    def _seconds_left(self) -> float:
        """Returns the seconds until a held run ends; if it may pause, its clock stops and the longest hold remains."""
        limits = self._journal.run.budget.limits
        if limits.when_exhausted == "pause":
            return limits.hold_seconds
        return self._journal.run.budget.research_seconds() - self._elapsed()

    def _elapsed(self) -> float:
        return self._journal.elapsed(workflow.time())


def _find_source_spec(given: JsonObject) -> SourceSpec | None:
    """Return the specification of the source that a tool asks; None for a collection, or without a source."""
    name = given.get("source")
    return SOURCES.get(name) if isinstance(name, str) else None


def _get_source_patience(given: JsonObject) -> float:
    source = _find_source_spec(given)
    policy = source.policy if source else None
    return (policy or SourcePolicy()).patience_seconds


def _may_have_written(work: CallTool, result: ToolResult | LostCall) -> ToolResult | LostCall:
    """Add to a lost tool call what its failure means: an earlier attempt may have reached the tool."""
    if work.tool != "call_tool" or isinstance(result, ToolResult) or result.failure.type != FailureType.TIMEOUT:
        return result
    message = f"{result.failure.message}; if the tool writes, it is unknown whether the write happened"
    return replace(result, failure=result.failure.model_copy(update={"message": message}))


def _as_data(work: CallTool, item: int, result: ToolResult | LostCall) -> ItemOutcome:
    given = work.inputs[item]
    if isinstance(result, LostCall):
        return ItemOutcome(index=item, input=given, error=result.failure.message, error_type=result.failure.type)
    return ItemOutcome(index=item, input=given, output=result.output)


def _build_item_progress(outcomes: dict[int, ItemOutcome]) -> JsonObject:
    items = tuple(outcomes[item] for item in sorted(outcomes))
    return ItemOutcomes(items=items).model_dump(mode="json")
