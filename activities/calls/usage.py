"""Measures the usage of model calls from their own responses, also of failed runs, and guards further calls.

Every activity of a run writes its own line into the ledger, however it ends. `read_usage` returns what calls used that
could not say so; `reopen_run` strikes out what a reset or a resumed run undoes.

Prices are those of genai-prices, rounded up to a millionth of a dollar. Where a provider reports no usage, characters
/ 4 is taken and marked as an estimate.
"""

import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final, Literal, Protocol

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.usage import RequestUsage
from temporalio import activity
from temporalio.api.enums.v1 import EventType, WorkflowTaskFailedCause
from temporalio.client import Client, WorkflowHandle, WorkflowQueryFailedError
from temporalio.service import RPCError, RPCStatusCode

from elcano.activities.calls.model_prices import ModelPrice
from elcano.activities.calls.retry_classification import classify_failure
from elcano.graphs.contracts import (
    READ_USAGE,
    REOPEN_RUN,
    SNAPSHOT_QUERY,
    TASK_FAILED,
    TOO_EARLY,
    AgentCall,
    ReopenCall,
    Reopened,
    UsageQuestion,
)
from elcano.graphs.model_names import OFFLINE
from elcano.graphs.records import RunSnapshot
from elcano.graphs.rules import CHARACTERS_PER_TOKEN, PROMPT_TOKENS
from elcano.graphs.state.budget import (
    Allowance,
    Estimate,
    Exhausted,
    Usage,
    microusd_from_usd,
    sum_usages,
    usd_from_microusd,
)
from elcano.measures import record_value
from elcano.storage.ledger import LedgerEntry
from elcano.storage.store import Store, TenantStore

READ_BACK: Final = timedelta(seconds=20)
"""For a worker to replay the history that a run was reset from."""
MOST_TOKENS: Final = 100_000_000
"""Maximum tokens of one request; a larger report is invalid."""


_log = logging.getLogger(__name__)


class SpendingGuard(Protocol):
    """Lets requests to models pass, besides the budget of their run: such as a quota (`Plugin.parts`)."""

    async def claim(
        self, store: TenantStore, call: AgentCall, claim: str, estimate: Estimate, price: ModelPrice
    ) -> None:
        """Let the next request of a conversation pass, which is taken to use `estimate` at `price`.

        What the call used before is in the ledger, or claimed by another of its conversations. A second claim of the
        same name replaces the first.

        Raises:
            BudgetExhausted: it may not be made; the run then reports what it has.
            ModelRefused: it has a limit of money, and the price is not known.
            ModelBusy: it may be made later.
        """
        ...

    async def release(self, store: TenantStore, call: AgentCall, claims: Sequence[str]) -> None:
        """Drop claims: what their conversations used is in the ledger."""
        ...


def usage_of(messages: Sequence[ModelMessage]) -> Usage:
    """The usage of all responses among `messages`."""
    return sum_usages(
        _of_response(message, messages[:position])
        for position, message in enumerate(messages)
        if isinstance(message, ModelResponse)
    )


def broken_off(response: ModelResponse, before: Sequence[ModelMessage]) -> Usage:
    """Return the usage of an answer that broke off: an estimate by its length, or the provider's report if higher."""
    least = _estimate_request_usage(response, before)
    reported = response.usage
    used = RequestUsage(
        input_tokens=max(least.input_tokens, reported.input_tokens),
        output_tokens=max(least.output_tokens, reported.output_tokens),
    )
    return _of_response(replace(response, usage=used), before).model_copy(update={"estimated": True})


def measure_usage(used: Usage, agent: str, model: Model) -> None:
    """Record the usage of a conversation of `agent` with `model`, for measurements."""
    names = {"agent": agent, "model": f"{model.system}:{model.model_name}"}
    record_value("tokens", used.input_tokens, direction="input", **names)
    record_value("tokens", used.output_tokens, direction="output", **names)
    record_value("cost_usd", usd_from_microusd(used.cost_microusd), **names)


def _estimate_request_usage(response: ModelResponse, before: Sequence[ModelMessage]) -> RequestUsage:
    return RequestUsage(
        input_tokens=estimated_tokens(sum(_count_message_characters(message) for message in before)),
        output_tokens=estimated_tokens(_count_message_characters(response)),
    )


def last_written(messages: Sequence[ModelMessage]) -> int:
    """Tokens of the last response, its thoughts too, as its provider counted them; 0 if it did not or there is none."""
    responses = [message for message in messages if isinstance(message, ModelResponse)]
    return responses[-1].usage.output_tokens if responses else 0


def _of_response(response: ModelResponse, before: Sequence[ModelMessage]) -> Usage:
    reported = response.usage
    tokens = reported.input_tokens + reported.output_tokens
    if response.provider_name == OFFLINE and not tokens:  # it quotes: no language model was asked
        return Usage()
    estimated = bool(reported.unmeasured_requests) or not 0 < tokens <= MOST_TOKENS
    if estimated:
        reported = _estimate_request_usage(response, before)
    cost = _compute_cost_microusd(replace(response, usage=reported))
    return Usage(
        requests=1,
        input_tokens=reported.input_tokens,
        output_tokens=reported.output_tokens,
        cost_microusd=cost or 0,
        unpriced_requests=int(cost is None),
        estimated=estimated,
    )


def _compute_cost_microusd(response: ModelResponse) -> int | None:
    """Millionths of a dollar; None if there is no known price."""
    if response.provider_name == OFFLINE:
        return 0
    if response.model_name is None:
        return None
    try:
        return microusd_from_usd(response.cost().total_price)
    except LookupError:
        return None


def _count_message_characters(message: ModelMessage) -> int:
    if isinstance(message, ModelRequest):
        parts = sum(len(str(getattr(part, "content", ""))) for part in message.parts)
        return parts + len(message.instructions or "")
    return sum(
        len(part.args_as_json_str() if isinstance(part, ToolCallPart) else part.content)
        for part in message.parts
        if isinstance(part, ToolCallPart | TextPart | ThinkingPart)
    )


def estimated_tokens(characters: int) -> int:
    """Estimate the tokens of this many characters."""
    return -(-characters // CHARACTERS_PER_TOKEN)


def prompt_tokens(prompt: str) -> int:
    """Estimate the tokens of a user prompt, including the instructions and the output schema around it."""
    return PROMPT_TOKENS + estimated_tokens(len(prompt))


def too_little(call: AgentCall, left: Allowance, least: Estimate, refused: Exhausted) -> str:
    """Why a request was not made, for the person who may raise the limit."""
    if refused == "tokens":
        rest = f"{left.tokens:,} tokens are left, and another request takes at least {least.tokens:,}"
    else:
        rest = f"{left.cost_microusd:,} millionths of a dollar are left of the cost that is allowed"
        rest += f", and another request takes about {least.cost_microusd:,}" if least.cost_microusd else ""
    return f"the budget of {refused} does not allow another request of {call.agent!r}: {rest}"


Outcome = Literal["completed", "failed", "abandoned"]


def build_ledger_entry(
    run_id: str,
    node: str,
    name: str,
    outcome: Outcome,
    *,
    kind: Literal["agent", "tool", "publish"],
    step: int = 0,
    item: int = 0,
    model: str = "",
    usage: Usage | None = None,
) -> LedgerEntry:
    """The line of this attempt; `step` 0 is no step of the graph."""
    info = activity.info()
    return LedgerEntry(
        run_id=run_id,
        execution=info.workflow_run_id or "",
        activity=info.activity_id,
        attempt=info.attempt,
        step=step,
        item=item,
        node=node,
        kind=kind,
        name=name,
        outcome=outcome,
        model=model,
        usage=usage or Usage(),
        at=time.time(),
    )


def measure_queue_seconds() -> float:
    """Seconds for which no worker was free to begin this attempt."""
    info = activity.info()
    return max(0.0, (info.started_time - info.current_attempt_scheduled_time).total_seconds())


class BookActivities:
    """The activities `read_usage` and `reopen_run`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    @activity.defn(name=READ_USAGE)
    async def read_usage(self, asked: UsageQuestion) -> Usage:
        """Return the ledger's usage of one activity of this execution, or of a run with its branches."""
        ledger = self._store.of(asked.tenant).ledger
        try:
            if not asked.activity:
                return await ledger.used(asked.run_id)
            execution = activity.info().workflow_run_id or ""
            lines = await ledger.of_activity(asked.run_id, execution, asked.activity)
            return sum_usages(line.usage for line in lines)
        except Exception as error:
            raise classify_failure(error) from None

    @activity.defn(name=REOPEN_RUN)
    async def reopen_run(self, call: ReopenCall) -> Reopened:
        """Reopens the record of a resumed run and strikes out undone work; a fork adopts its evidence and artifacts.

        Doing it twice changes nothing. Answers with the highest event number that anyone can have seen: that of the
        last event of the execution that this one was reset from, if it was.
        """
        execution = activity.info().workflow_run_id or ""
        store = self._store.of(call.tenant)
        try:
            last_event = await _last_event_before(activity.client(), call.run_id, execution)
            if not call.resumed:
                await store.lineage.undo(call.run_id, call.step, execution=execution)
            for one in call.undone:
                await store.lineage.undo(one.run_id, one.step, execution=execution, found=one.evidence, but=call.kept)
            if call.from_run:
                await store.lineage.adopt(call.run_id, call.from_run, call.evidence, call.artifacts)
            await store.runs.reopen(call.run_id, execution)
        except Exception as error:
            raise classify_failure(error) from None
        return Reopened(last_event=last_event)


async def _last_event_before(client: Client, run_id: str, execution: str) -> int:
    """The number of the last event of the execution that this one was reset from."""
    base = ""
    async for event in client.get_workflow_handle(run_id, run_id=execution).fetch_history_events():
        failed = event.workflow_task_failed_event_attributes
        reset = failed.cause == WorkflowTaskFailedCause.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW
        if event.event_type == EventType.EVENT_TYPE_WORKFLOW_TASK_FAILED and reset:
            base = failed.base_run_id
    if not base:
        return 0
    before = client.get_workflow_handle(run_id, run_id=base)
    try:
        snapshot: RunSnapshot = await before.query(SNAPSHOT_QUERY, result_type=RunSnapshot, rpc_timeout=READ_BACK)
    except (WorkflowQueryFailedError, RPCError) as error:
        if not _is_unreplayable(error):
            raise
        _log.warning("%s was reset from a history that cannot be replayed: %s", run_id, error)
        return await _estimate_last_event(client, before)
    return snapshot.last_event


def _is_unreplayable(error: WorkflowQueryFailedError | RPCError) -> bool:
    """Whether a query was not answered because no worker can replay the history: this one would have answered it."""
    if isinstance(error, WorkflowQueryFailedError):
        return str(error) != TOO_EARLY
    return error.status in (RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.FAILED_PRECONDITION) or (
        TASK_FAILED in error.message
    )


async def _estimate_last_event(client: Client, handle: WorkflowHandle[Any, Any]) -> int:
    """Return a number that no event of an execution exceeds, from its history alone.

    Calls name the last event before them, and later ones are no more than the entries of the history.
    """
    last_event = length = 0
    async for event in handle.fetch_history_events():
        length = event.event_id
        for payload in event.activity_task_scheduled_event_attributes.input.payloads:
            with suppress(Exception):  # what cannot be read says nothing; the length alone bounds a first history
                (call,) = await client.data_converter.decode([payload])
                last_event = max(last_event, int(call["last_event"]))
    return last_event + length
