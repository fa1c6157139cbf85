"""What is said of a run whose workflow task fails again and again."""

from typing import Any, cast

import pytest
from temporalio.api.workflowservice.v1 import DescribeWorkflowExecutionResponse
from temporalio.client import Client

from elcano.service.temporal import blocked_runs
from elcano.service.temporal.blocked_runs import explain_halt

REMOVED = "BadSearchAttributes: Namespace default has no mapping defined for search attribute ElcanoStage"
"""As server 1.32.0 refuses the task after `temporal operator search-attribute remove`."""


class Namespace:
    namespace = "default"


async def explain(failure: str, missing: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    async def read_failure(*_: Any) -> str:
        return failure

    async def find_missing(_: Any) -> list[str]:
        return missing

    monkeypatch.setattr(blocked_runs, "read_task_failure", read_failure)
    monkeypatch.setattr(blocked_runs, "find_missing_attributes", find_missing)
    return await explain_halt(DescribeWorkflowExecutionResponse(), cast("Client", Namespace()))


async def test_a_search_attribute_that_was_removed_is_named_with_the_command_that_helps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blocked = await explain(REMOVED, ["ElcanoStage"], monkeypatch)
    assert blocked.startswith("no worker can continue the run: the namespace lacks search attributes")
    assert "search-attribute create --namespace default --name ElcanoStage --type Keyword" in blocked
    assert "reset" not in blocked


async def test_a_search_attribute_that_is_there_again_is_not_said_to_be_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blocked = await explain(REMOVED, [], monkeypatch)
    assert "are there again" in blocked
    assert "create" not in blocked


async def test_any_other_failure_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = await explain("a bug", ["ElcanoStage"], monkeypatch)
    assert "(a bug)" in blocked
    assert "reset it in Temporal" in blocked
