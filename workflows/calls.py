"""Turns a command of the engine into activities, and their outcomes into an entry of the log.

The items of a tool's step are called all at once, each in its source's queue and with its source's patience. A search
whose source cannot answer now holds the run; what the others of its step found is kept by the hold, and nothing of it
is done again. Once something was found, a source that stays away for too long is data like any failure.
"""

import asyncio
from dataclasses import replace

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.catalogue.agents import AGENTS
    from elcano.graphs.catalogue.sources import SOURCES, SourceSpec
    from elcano.graphs.catalogue.tools import ItemOutcome, ItemOutcomes
    from elcano.graphs.contracts import (
        OWN_AGENT,
        READ_USAGE,
        AgentCall,
        AgentResult,
        ToolCall,
        ToolResult,
        UsageQuestion,
        model_queue,
    )
    from elcano.graphs.engine.budget_check import blame_node_limit
    from elcano.graphs.engine.entries import Call, CallAgent, CallTool, Held, StepAbandoned, StepCompleted, StepFailed
    from elcano.graphs.engine.routing import broken_sources
    from elcano.graphs.frozen import JsonObject
    from elcano.graphs.lifecycle.journal import Journal
    from elcano.graphs.lifecycle.start_and_fold import resolve_run_date
    from elcano.graphs.model_names import ModelChoice
    from elcano.graphs.run_contracts import ResearchInput, format_label
    from elcano.graphs.spec.graph import limits_of
    from elcano.graphs.spec.limits import AgentLimits
    from elcano.graphs.state.budget import Usage
    from elcano.graphs.state.failures import Ending, Failure, FailureType, Hold
    from elcano.graphs.state.state import RELATED, strip_history_for_agent
    from elcano.workflows import retry_policies
    from elcano.workflows.holds import Approvals
    from elcano.workflows.outcomes import (
        LostCall,
        Outcome,
        await_outcome,
        build_completed_step,
        build_failed_outcome,
        build_item_outcome,
        build_item_progress,
        mention_possible_write,
    )
    from elcano.workflows.retry_policies import CallHold

_NAMED = ("source", "query", "server", "tool")
"""The inputs that name a call for people."""


class Performer:
    """Performs the calls of agents and tools for one run."""

    def __init__(self, asked: ResearchInput, journal: Journal, approvals: Approvals) -> None:
        self._asked = asked
        self._journal = journal
        self._approvals = approvals

    async def perform(self, work: Call) -> Outcome:
        """Performs `work`; a failure is an entry too, never an exception, even if the call is given up."""
        began = workflow.time()
        match work:
            case CallAgent():
                return self._in_time(await self._call_agent(work), began)
            case CallTool():
                return self._in_time(await self._call_tools(work), began)

    async def give_up(self, task: "asyncio.Task[Outcome]", work: Call, ending: Ending | None) -> Outcome:
        """Returns the outcome of a call that is cut off now. It may report its usage; a late answer is kept."""
        await workflow.wait_condition(lambda: True)  # an answer in the same workflow task has come: it is handled first
        if not task.done():
            task.cancel()
        patience = asyncio.create_task(workflow.sleep(retry_policies.PARTING, summary="for what the call used"))
        await workflow.wait_condition(lambda: task.done() or patience.done())
        patience.cancel()
        usage = Usage()
        if not task.done():  # no one knows: its estimate is charged
            guess = work.estimate.tokens if isinstance(work, CallAgent) else 0
            usage = Usage(input_tokens=guess, estimated=bool(guess))
        elif not task.cancelled():
            entry = task.result()
            if isinstance(entry, StepCompleted):
                return entry
            usage = entry.usage
        return StepAbandoned(step=work.step, node=work.node, at=self._elapsed(), ending=ending, usage=usage)

    async def _call_agent(self, work: CallAgent) -> Outcome:
        node = self._asked.graph.by_id[work.node]
        limits = limits_of(node)
        model = limits.model if isinstance(limits, AgentLimits) else None
        call = AgentCall.from_record(
            work,
            run_id=self._asked.run_id,
            tenant=self._asked.tenant,
            models=_override_model(self._asked.models.with_own(work.agent, work.own), work.agent, model),
            today=resolve_run_date(self._asked, self._journal),
            last_event=self._journal.last,
            at_exit=self._asked.graph.is_closing(work.node),
            may_wait=self._journal.run.budget.limits.when_exhausted == "pause",
            history=strip_history_for_agent(self._asked.follows.history if self._asked.follows else ()),
            trust=self._asked.trust.egress_alone,
        )
        activity_id = f"{work.step:04d}-{work.node}" + (f".{work.tries + 1}" if work.tries else "")
        turn = work.input.get("iteration")
        begins = AGENTS[work.agent].begins if work.own is None else None
        about = format_label(begins(work.input)) if begins else node.description or work.node
        summary = f"iteration {turn}" if turn else about
        if work.own is not None:
            summary = f"{work.agent}: {summary}"
        provider = self._asked.model_providers.get(model or work.agent)
        queue = model_queue(provider) if provider else ""  # the run's own
        patience = retry_policies.ask_in(queue, self._asked.call_seconds)
        policy = retry_policies.apply_node_limits(self._limit_to_run_time(patience), limits)
        activity = workflow.execute_activity(
            work.agent if work.own is None else OWN_AGENT,
            call,
            result_type=AgentResult,
            task_queue=queue or None,
            activity_id=activity_id,
            summary=summary + (f", try {work.tries + 1}" if work.tries else ""),
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
            **policy,
        )
        result = await await_outcome(work.node, activity, policy)
        if isinstance(result, AgentResult):
            waited = self._journal.count_idle(result.waited, workflow.time())
            done = build_completed_step(work, self._elapsed(), waited, result.output, result.last_event)
            return done.model_copy(update={"usage": result.usage, "model": result.model})
        usage = await self.used(activity_id) if result.usage is None else result.usage
        if (reason := self._held_for(result)) is not None:
            return self._held(work, result, reason, usage)
        lost = replace(result, failure=blame_node_limit(work, result.failure))
        return build_failed_outcome(work, self._elapsed(), lost, usage)

    async def used(self, activity_id: str = "", *, run_id: str = "") -> Usage:
        """Return the ledger's usage of an activity of this run, or of a whole branch."""
        usage: Usage = await workflow.execute_activity(
            READ_USAGE,
            UsageQuestion(run_id=run_id or self._asked.run_id, tenant=self._asked.tenant, activity=activity_id),
            result_type=Usage,
            summary=f"what {activity_id or run_id} used",
            **retry_policies.BOOKS,
        )
        return usage

    def _in_time(self, entry: Outcome, began: float) -> Outcome:
        """If the first call took all the time that there is for research, that is up."""
        budget = self._journal.run.budget
        if self._journal.begun or not isinstance(entry, StepFailed) or entry.failure.type != FailureType.TIMEOUT:
            return entry
        at = budget.research_seconds()
        own = limits_of(self._asked.graph.by_id[entry.node])
        if own is not None and workflow.time() - began < at:  # its node allowed it less, and its graph may repair that
            return entry
        ending = Ending(kind="time", detail=f"the first call took longer than the {at:g} s that there are for research")
        return StepAbandoned(step=entry.step, node=entry.node, at=at, ending=ending, usage=entry.usage)

    def _limit_to_run_time(self, policy: retry_policies.Policy) -> retry_policies.Policy:
        return retry_policies.limit_to_run_time(
            policy, self._journal.begun, self._journal.run.budget.research_seconds()
        )

    def _held_for(self, lost: LostCall) -> CallHold | None:
        """Why the call is made again later; None if it is not."""
        if lost.abandoned:
            return None
        if lost.failure.type == FailureType.PROVIDER:
            return "provider"
        if lost.failure.type == FailureType.STORE_DOWN:
            return "store"
        waits = self._journal.run.budget.limits.when_exhausted == "pause"
        return "person" if lost.failure.type == FailureType.MODEL_REFUSED and waits else None

    def _held(self, work: CallAgent, lost: LostCall, reason: CallHold, usage: Usage) -> Held:
        tries, since, seconds = self._time_hold(reason, lost.retry_after)
        hold = Hold(
            reason=reason,
            node=work.node,
            agent=work.agent,
            type=lost.failure.type,
            detail=lost.failure.message,
            tries=tries,
            since=since,
            until=workflow.time() + seconds,
            seconds=seconds,
        )
        return Held(step=work.step, node=work.node, at=self._elapsed(), hold=hold, progress=lost.progress, usage=usage)

    def _time_hold(self, reason: CallHold, retry_after: float | None) -> tuple[int, float, float]:
        """Return how often the call has failed by now, since when, and the seconds until it is tried again."""
        now, earlier = workflow.time(), self._journal.run.tried
        tries, since = (earlier.tries + 1, earlier.since) if earlier and earlier.tries else (1, now)
        return tries, since, retry_policies.hold_seconds(reason, tries, retry_after, waited=now - since)

    async def _call_tools(self, work: CallTool) -> Outcome:
        """All items; with `for_each` an item that fails is data, without it fails the node."""
        tried = self._journal.run.tried
        kept = {item.index: item for item in ItemOutcomes.model_validate(tried.progress).items} if tried else {}
        tries = tried.all_tries if tried else 0
        open_items = [item for item in range(len(work.inputs)) if item not in kept]
        try:
            results = await asyncio.gather(*(self._allowed(work, item, tries) for item in open_items))
        except asyncio.CancelledError:  # each item has ended nevertheless
            return StepAbandoned(step=work.step, node=work.node, at=self._elapsed())
        if any(isinstance(result, LostCall) and result.abandoned for result in results):
            return StepAbandoned(step=work.step, node=work.node, at=self._elapsed())
        by_item = dict(zip(open_items, results, strict=True))
        outcomes = kept | {item: build_item_outcome(work, item, result) for item, result in by_item.items()}
        busy = {
            item: result
            for item, result in by_item.items()
            if isinstance(result, LostCall) and result.failure.type in (FailureType.PROVIDER, FailureType.STORE_DOWN)
        }
        if busy:
            held = self._held_searches(work, busy, {item: one for item, one in outcomes.items() if item not in busy})
            if held is not None:
                return held
        answered = [result for result in results if isinstance(result, ToolResult)]
        waited = min((result.waited for result in answered), default=0.0)
        idle = self._journal.count_idle(waited, workflow.time())
        last_event = max((result.last_event for result in answered), default=0)
        if not work.for_each:
            (only,) = results
            if isinstance(only, LostCall):
                return build_failed_outcome(work, self._elapsed(), only, Usage())
            return build_completed_step(work, self._elapsed(), idle, only.output, last_event)
        return build_completed_step(work, self._elapsed(), idle, build_item_progress(outcomes), last_event)

    async def _allowed(self, work: CallTool, item: int, tries: int) -> ToolResult | LostCall:
        """Returns the result of a call; if the call needs approval, once that is decided."""
        async with self._approvals.call():
            result = await self._call_tool(work, item, tries)
            if not isinstance(result, LostCall) or result.failure.type != FailureType.APPROVAL_NEEDED:
                return result
            if self._asked.approvals == "refuse":
                return result
            approval = await self._approvals.await_decision(work, item, result)
            return approval if isinstance(approval, LostCall) else await self._call_tool(work, item, tries, approval)

    async def _call_tool(self, work: CallTool, item: int, tries: int, approval: str = "") -> ToolResult | LostCall:
        given = work.inputs[item]
        state = self._journal.run.state
        asked = given.get("source")
        # Only since look-backs are chosen as sources are: before, one was refused like any other name.
        looks_back = asked == RELATED and workflow.patched("look-back")
        if asked is not None and state.sources and asked not in state.sources and not looks_back:
            message = f"{asked!r} is not searched in this run; searched are: {', '.join(state.sources)}"
            return LostCall(Failure(node=work.node, type=FailureType.SOURCE_REFUSED, message=message, attempts=0))
        if asked in broken_sources(state, self._journal.run.figures):
            message = f"{asked!r} failed too often in this run"
            return LostCall(Failure(node=work.node, type=FailureType.CIRCUIT_OPEN, message=message, attempts=0))
        source = _find_source_spec(given)
        given_time = self._limit_to_run_time(retry_policies.choose_tool_policy(work.tool, source))
        node = self._asked.graph.by_id[work.node]
        limits = limits_of(node)
        policy, seconds = retry_policies.leave_time_to_worker(
            retry_policies.apply_node_limits(given_time, limits), limits
        )
        activity_id = f"{work.step:04d}-{work.node}" + (f"-{item + 1}" if work.for_each else "")
        described = format_label(
            ": ".join(str(given[key]) for key in _NAMED if given.get(key)) or node.description or work.node
        )
        activity = workflow.execute_activity(
            work.tool,
            ToolCall(
                run_id=self._asked.run_id,
                tenant=self._asked.tenant,
                step=work.step,
                node=work.node,
                item=item,
                tool=work.tool,
                input=given,
                last_event=self._journal.last,
                approval=approval,
                trust=self._asked.trust,
                seconds=seconds,
            ),
            result_type=ToolResult,
            task_queue=(source.queue or None) if source else None,
            activity_id=activity_id + (f".{tries + 1}" if tries else "") + (".approved" if approval else ""),
            summary=described + (f", try {tries + 1}" if tries else "") + (", approved" if approval else ""),
            cancellation_type=workflow.ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
            **policy,
        )
        return mention_possible_write(work, await await_outcome(work.node, activity, policy))

    def _held_searches(self, work: CallTool, busy: dict[int, LostCall], done: dict[int, ItemOutcome]) -> Held | None:
        """The hold for the searches that cannot be answered now; None if they are not waited for any longer."""
        asked_to_wait = max((lost.retry_after or 0.0 for lost in busy.values()), default=0.0)
        kinds = {lost.failure.type for lost in busy.values()}
        reason: CallHold = "store" if kinds == {FailureType.STORE_DOWN} else "provider"
        tries, since, seconds = self._time_hold(reason, asked_to_wait)
        until = workflow.time() + seconds
        if reason == "provider" and any(item.output is not None for item in done.values()):
            patience = max(retry_policies.get_search_patience(_find_source_spec(work.inputs[item])) for item in busy)
            if until - since > patience or seconds > self._seconds_left():
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
            until=until,
            seconds=seconds,
        )
        return Held(step=work.step, node=work.node, at=self._elapsed(), hold=hold, progress=build_item_progress(done))

    def _seconds_left(self) -> float:
        """Returns the seconds until a held run ends; if it may pause, its clock stops and the longest hold remains."""
        limits = self._journal.run.budget.limits
        if limits.when_exhausted == "pause":
            return limits.hold_seconds
        return self._journal.run.budget.research_seconds() - self._elapsed()

    def _elapsed(self) -> float:
        return self._journal.elapsed(workflow.time())


def _override_model(asked: ModelChoice, agent: str, own: str | None) -> ModelChoice:
    """Return the models for a call: the one that its node names takes precedence over the run's."""
    return asked.model_copy(update={"by_agent": {**asked.by_agent, agent: own}}) if own else asked


def _find_source_spec(given: JsonObject) -> SourceSpec | None:
    """Return the specification of the source that a tool asks; None for a collection, or without a source."""
    name = given.get("source")
    return SOURCES.get(name) if isinstance(name, str) else None
