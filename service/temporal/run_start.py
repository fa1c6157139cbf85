"""The start of a run's workflow, and what its server lacks if it refuses."""

from datetime import timedelta
from typing import Final

from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy, WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from elcano.graphs.contracts import CHAIN_WORKFLOW, RESEARCH_WORKFLOW, Engine
from elcano.graphs.frozen import JsonObject
from elcano.graphs.run_contracts import ResearchInput, at_start, describe_workflow, format_label
from elcano.service.errors import TemporalRefused
from elcano.service.temporal.connection import (
    CALL_TIMEOUT,
    CORRECT_NAMESPACE,
    describe_missing_attributes,
    find_missing_attributes,
    map_rpc_errors,
)
from elcano.service.temporal.labels import build_search_attributes
from elcano.service.temporal.workers import build_priority

TASK_TIMEOUT: Final = timedelta(seconds=60)
"""Time for a worker to decide what a workflow does next. That takes milliseconds, except for a history that it has to
replay: seconds for thousands of events, more if their payloads are fetched from afar, and an answer that comes too late
is thrown away. After a worker was killed in these milliseconds, the run waits this long; sections inherit it from their
runs."""


async def start_run_workflow(
    client: Client,
    task_queue: str,
    asked: ResearchInput,
    engine: Engine,
    reuse: WorkflowIDReusePolicy,
    memo: JsonObject | None = None,
) -> str | None:
    """Start a run, and return the id of the execution; None if there is one that is in the way of it.

    Raises:
        TemporalUnavailable: it is not known whether it was started.
        TemporalRefused: it was not; the text says what the server lacks.
    """
    details = describe_workflow(asked)
    asked = asked.model_copy(update={"confidential": client.data_converter.payload_codec is not None})
    with map_rpc_errors():
        try:
            handle = await client.start_workflow(
                CHAIN_WORKFLOW if engine == "chain" else RESEARCH_WORKFLOW,
                asked,
                id=asked.run_id,
                task_queue=task_queue,
                task_timeout=TASK_TIMEOUT,
                id_reuse_policy=reuse,
                id_conflict_policy=WorkflowIDConflictPolicy.FAIL,
                search_attributes=build_search_attributes(at_start(asked)),
                static_summary=format_label(asked.question),
                static_details=details,
                memo=memo,
                priority=build_priority(asked),
                rpc_timeout=CALL_TIMEOUT,
            )
        except WorkflowAlreadyStartedError:
            return None
        except RPCError as error:
            if error.status == RPCStatusCode.NOT_FOUND:  # of the namespace: the run cannot be missing yet
                raise TemporalRefused(f"Temporal refused: {error.message}; {CORRECT_NAMESPACE}") from error
            invalid = error.status == RPCStatusCode.INVALID_ARGUMENT
            if invalid and (missing := await find_missing_attributes(client)):
                raise TemporalRefused(describe_missing_attributes(client, missing)) from error
            raise
    execution = handle.first_execution_run_id
    assert execution is not None, "the start of a workflow says which execution that is"
    return execution
