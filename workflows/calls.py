"""Turns a command of the engine into activities, and their outcomes into an entry of the log."""

import asyncio
from dataclasses import replace
from typing import Literal

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.catalogue.agents import AGENTS
    from elcano.graphs.contracts import (
        OWN_AGENT,
        READ_USAGE,
        AgentCall,
        AgentResult,
        UsageQuestion,
        model_queue,
    )
    from elcano.graphs.engine.budget_check import told_apart
    from elcano.graphs.engine.entries import Call, CallAgent, CallTool, Held, StepAbandoned, StepCompleted, StepFailed
    from elcano.graphs.lifecycle.journal import Journal
    from elcano.graphs.lifecycle.start_and_fold import resolve_run_date
    from elcano.graphs.model_names import ModelChoice
    from elcano.graphs.run_contracts import ResearchInput, format_label
    from elcano.graphs.spec.graph import limits_of
    from elcano.graphs.spec.limits import AgentLimits, ToolLimits
    from elcano.graphs.state.budget import Usage
    from elcano.graphs.state.failures import Ending, FailureType, Hold
    from elcano.graphs.state.state import strip_history_for_agent
    from elcano.workflows import retry_policies
    from elcano.workflows.holds import Approvals
    from elcano.workflows.outcomes import LostCall, Outcome, await_outcome, build_failed_outcome, build_step_place
    from elcano.workflows.searches import ToolCalls


class Performer:
    """Performs the calls of agents and tools for one run."""

    def __init__(self, asked: ResearchInput, journal: Journal, approvals: Approvals) -> None:
        self._asked = asked
        self._journal = journal
        self._tools = ToolCalls(asked, journal, approvals)

    async def perform(self, work: Call) -> Outcome:
        """Performs `work`; a failure is an entry too, never an exception, even if the call is given up."""
        began = workflow.time()
        match work:
            case CallAgent():
                return self._in_time(await self._call_agent(work), began)
            case CallTool():
                return self._in_time(await self._tools.perform(work), began)

    async def give_up(self, task: "asyncio.Task[Outcome]", work: Call, ending: Ending | None) -> Outcome:
        """Returns the outcome of a call that is cut off now. It may report its usage; a late answer is kept."""
        await workflow.wait_condition(lambda: True)  # an answer in the same workflow task has come: it is heard first
        if not task.done():
            task.cancel()
        patience = asyncio.create_task(workflow.sleep(retry_policies.PARTING, summary="for what the call used"))
        await workflow.wait_condition(lambda: task.done() or patience.done())
        patience.cancel()
        usage = Usage()
        if not task.done():  # nobody knows: its estimate is charged
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
        call = AgentCall(
            run_id=self._asked.run_id,
            tenant=self._asked.tenant,
            step=work.step,
            node=work.node,
            agent=work.agent,
            own=work.own,
            input=work.input,
            models=_override_model(self._asked.models.with_own(work.agent, work.own), work.agent, limits),
            progress=work.progress,
            today=resolve_run_date(self._asked, self._journal),
            told=self._journal.last,
            allowance=work.allowance,
            evidence_tokens=work.evidence_tokens,
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
        queue = self._queue(work.agent, limits)
        patience = retry_policies.ask_in(queue, self._asked.call_seconds)
        policy = retry_policies.apply_node_limits(self._bound(patience), limits)
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
            return StepCompleted(
                **build_step_place(work, self._elapsed(), self._journal.count_idle(result.waited, workflow.time())),
                output=result.output,
                usage=result.usage,
                model=result.model,
                told=result.told,
            )
        usage = await self.used(activity_id) if result.usage is None else result.usage
        if (reason := self._held_for(result)) is not None:
            return self._held(work, result, reason, usage)
        lost = replace(result, failure=told_apart(work, result.failure))
        return build_failed_outcome(work, self._elapsed(), lost, usage)

    def _queue(self, agent: str, limits: ToolLimits | None) -> str:
        """Return the task queue for the calls of a node; empty: the run's own."""
        own = limits.model if isinstance(limits, AgentLimits) else None
        known = self._asked.model_providers.get(own or agent)
        return model_queue(known) if known else ""

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

    def _bound(self, policy: retry_policies.Policy) -> retry_policies.Policy:
        return retry_policies.limit_to_run_time(
            policy, self._journal.begun, self._journal.run.budget.research_seconds()
        )

    def _held_for(self, lost: LostCall) -> Literal["provider", "person", "store"] | None:
        """Why the call is made again later; None if it is not."""
        if lost.abandoned:
            return None
        if lost.failure.type == FailureType.PROVIDER:
            return "provider"
        if lost.failure.type == FailureType.STORE_DOWN:
            return "store"
        waits = self._journal.run.budget.limits.when_exhausted == "pause"
        return "person" if lost.failure.type == FailureType.MODEL_REFUSED and waits else None

    def _held(
        self, work: CallAgent, lost: LostCall, reason: Literal["provider", "person", "store"], usage: Usage
    ) -> Held:
        now = workflow.time()
        earlier = self._journal.run.tried
        tries = work.tries + 1
        since = now if earlier is None else earlier.since
        seconds = retry_policies.hold_seconds(reason, tries, lost.retry_after, waited=now - since)
        hold = Hold(
            reason=reason,
            node=work.node,
            agent=work.agent,
            type=lost.failure.type,
            detail=lost.failure.message,
            tries=tries,
            since=since,
            until=now + seconds,
            seconds=seconds,
        )
        return Held(step=work.step, node=work.node, at=self._elapsed(), hold=hold, progress=lost.progress, usage=usage)

    def _elapsed(self) -> float:
        return self._journal.elapsed(workflow.time())


def _override_model(asked: ModelChoice, agent: str, limits: ToolLimits | None) -> ModelChoice:
    """Return the models for a call: the one that its node names takes precedence over the run's."""
    own = limits.model if isinstance(limits, AgentLimits) else None
    return asked.model_copy(update={"by_agent": {**asked.by_agent, agent: own}}) if own else asked
