"""The worker's log: a line for a failure whose reason is known, the cause's traceback for one that nobody expected."""

import io
import logging
from collections.abc import Callable, Iterator
from datetime import timedelta
from uuid import uuid4

import pytest
from pydantic_ai.exceptions import ModelAuthenticationError
from temporalio import activity, workflow
from temporalio.client import Client, WorkflowFailureError
from temporalio.common import RetryPolicy
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

from elcano.activities.calls.retry_classification import FailureLines, classify_failure, tell_failures_in_lines
from elcano.graphs.errors import SourceUnavailable
from elcano.redaction import SafeFormatter

HEX = "0123456789abcdef0123456789abcdef"


class Rows:
    """A table that is not there."""

    def read(self) -> str:
        raise ZeroDivisionError(f"no such table, says {HEX}")


RAISED: dict[str, Callable[[], object]] = {
    "refused": lambda: _raise(ModelAuthenticationError("gpt", f"the key {HEX} is not known")),
    "locked": lambda: _raise(SourceUnavailable("the index is locked")),
    "bug": Rows().read,
}


def _raise(error: Exception) -> None:
    raise error


@activity.defn(name="fails")
async def fails(how: str) -> None:
    try:
        RAISED[how]()
    except Exception as error:
        raise classify_failure(error) from None


@workflow.defn(name="Failing")
class Failing:
    @workflow.run
    async def run(self, how: str) -> None:
        once = RetryPolicy(maximum_attempts=1)
        await workflow.execute_activity(
            fails, how, activity_id="0003-writer", start_to_close_timeout=timedelta(minutes=1), retry_policy=once
        )


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """What the programs' log would show of activities."""
    monkeypatch.setenv("MISTRAL_API_KEY", HEX)
    shown = io.StringIO()
    handler = logging.StreamHandler(shown)
    handler.setFormatter(SafeFormatter("%(levelname)s %(message)s"))
    logger = activity.logger.base_logger
    before = list(logger.filters)
    tell_failures_in_lines()
    tell_failures_in_lines()
    assert sum(isinstance(one, FailureLines) for one in logger.filters) == 1
    logger.addHandler(handler)
    yield shown
    logger.removeHandler(handler)
    logger.filters = before


async def failed(client: Client, how: str) -> str:
    """The id of a run that failed so."""
    queue = run_id = f"run-{uuid4()}"
    async with Worker(
        client,
        task_queue=queue,
        workflows=[Failing],
        activities=[fails],
        workflow_runner=UnsandboxedWorkflowRunner(),
    ):
        with pytest.raises(WorkflowFailureError):
            await client.execute_workflow("Failing", how, id=run_id, task_queue=queue)
    return run_id


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("refused", "the key [removed] is not known"),
        ("locked", "(SourceUnavailable): the index is locked"),
    ],
)
async def test_what_is_known_is_one_line(temporal: Client, log: io.StringIO, how: str, told: str) -> None:
    run_id = await failed(temporal, how)
    (line,) = log.getvalue().splitlines()
    assert line.startswith(f"WARNING run {run_id}, step 3, node writer, attempt 1 failed (")
    assert told in line
    assert HEX not in line


async def test_what_nobody_expected_keeps_the_traceback_of_its_cause(temporal: Client, log: io.StringIO) -> None:
    run_id = await failed(temporal, "bug")
    first, *traceback = log.getvalue().splitlines()
    assert first.startswith(f"WARNING run {run_id}, step 3, node writer, attempt 1 failed (ZeroDivisionError")
    assert traceback[0] == "Traceback (most recent call last):"
    assert any("in read" in line for line in traceback), "where it broke, not where it was sorted"
    assert traceback[-1] == "ZeroDivisionError: no such table, says [removed]"
