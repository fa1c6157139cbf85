"""Histories of runs whose calls of tools wait for a person: approved, refused, and one of each in two branches."""

from collections.abc import Callable
from pathlib import Path

from temporalio.client import Client

from elcano.graphs.contracts import RESEARCH_WORKFLOW
from elcano.graphs.engine.approvals import ApproveCall, RefuseCall
from elcano.graphs.engine.control_actions import Action
from elcano.graphs.run_contracts import ResearchResult
from elcano.testing.script import Script
from tests.control import ask
from tests.workflow.conftest import Handle, worker_for
from tests.workflow.writing_tools import Tool, asked, in_branches, waiting, writing

CALL = "0001-write"
SINGLE: dict[str, Action] = {
    "writing-approved": ApproveCall(call=CALL, by="Elvira"),
    "writing-refused": RefuseCall(call=CALL, reason="scripted", by="Elvira"),
}
BRANCHES = "writing-branches"


async def record_calls(client: Client, folder: Path, cleaned: Callable[[str], str]) -> None:
    """Writes those that are not there yet."""
    for name in (*SINGLE, BRANCHES):
        if (folder / f"{name}.json").exists():
            continue
        queue = run_id = f"run-{name}"
        graph = in_branches() if name == BRANCHES else writing(repaired=("ApprovalRefused",))
        async with worker_for(client, queue, Tool().activities(Script()), cached_workflows=0):
            handle: Handle = await client.start_workflow(
                RESEARCH_WORKFLOW, asked(run_id, graph), id=run_id, task_queue=queue, result_type=ResearchResult
            )
            if name == BRANCHES:
                first, second = (await waiting(handle, 2)).calls
                await ask(client.get_workflow_handle(first.run_id), ApproveCall(call=first.id))
                await waiting(handle)
                await ask(client.get_workflow_handle(second.run_id), RefuseCall(call=second.id, reason="scripted"))
            else:
                await waiting(handle)
                await ask(handle, SINGLE[name])
            await handle.result()
        (folder / f"{name}.json").write_text(cleaned((await handle.fetch_history()).to_json()))
