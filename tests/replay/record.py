"""Records the histories that `test_replay` replays: `python -m tests.replay.record`.

Only for new scenarios. A history that is recorded anew no longer guards the runs that were started before.
"""

import asyncio
import gc
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from temporalio.client import Client, WorkflowFailureError
from temporalio.common import SearchAttributeKey
from temporalio.testing import WorkflowEnvironment

from dev.temporal import SERVER_OPTIONS, temporal_binary
from graphs.budget import Limits
from graphs.contracts import SEARCH_ATTRIBUTES, FailureType, ResearchInput, StopRequest
from graphs.frozen import JsonObject
from graphs.modes import MODES
from storage.payloads import data_converter
from tests.script import Answer, Refused, Script
from tests.workflow.conftest import Handle, worker_for
from workflows.research import ResearchWorkflow

FOLDER = Path(__file__).parent / "histories"


def complete(script: Script) -> Limits:
    """Two iterations, then nothing is missing."""
    return Limits()


def iterations(script: Script) -> Limits:
    """Nothing is ever complete; the loop is used up."""
    script.complete_in = 99
    return Limits(iterations=3)


def partial(script: Script) -> Limits:
    """One of the searches and then the judge fail for good."""
    script.overrides["judge"] = refusing("Scripted")
    return Limits()


def refused(script: Script) -> Limits:
    """The provider refuses the key: the run fails at once."""
    script.overrides["thinking"] = refusing(FailureType.MODEL_REFUSED)
    return Limits()


def stopped(script: Script) -> Limits:
    """Somebody stops the run before its first step is through."""
    return Limits()


def refusing(type: str) -> Answer:
    def answer(given: JsonObject) -> JsonObject:
        raise Refused("scripted", type=type)

    return answer


SCENARIOS: tuple[Callable[[Script], Limits], ...] = (complete, iterations, partial, refused, stopped)


async def record(client: Client, mode: str, scenario: Callable[[Script], Limits]) -> str:
    """Runs one scenario and returns its history as JSON."""
    script = Script()
    limits = scenario(script)
    queue = run_id = f"run-{mode}-{scenario.__name__}"
    asked = ResearchInput(
        run_id=run_id, question="What is it?", mode=mode, graph=MODES[mode], limits=limits, sources=("library",)
    )
    handle = await client.start_workflow(ResearchWorkflow.run, asked, id=run_id, task_queue=queue)
    stopping = asyncio.create_task(_stop(handle)) if scenario is stopped else None
    async with worker_for(client, queue, script.activities):
        with suppress(WorkflowFailureError):
            await handle.result()
    if stopping:
        await stopping
    return _without_the_machine((await handle.fetch_history()).to_json())


def _without_the_machine(history: str) -> str:
    """Stack traces hold paths and identities hold host names; replay reads neither."""
    return re.sub(r'"(stackTrace|identity)": *"[^"\\]*(\\.[^"\\]*)*"', r'"\1": ""', history)


async def _stop(handle: Handle) -> None:
    await handle.execute_update(ResearchWorkflow.stop, StopRequest(reason="scripted"))


async def main() -> None:
    """Writes every history that is not there yet."""
    FOLDER.mkdir(exist_ok=True)
    attributes = [SearchAttributeKey.for_keyword(name) for name in SEARCH_ATTRIBUTES]
    with TemporaryDirectory() as payloads:
        async with await WorkflowEnvironment.start_local(
            dev_server_existing_path=temporal_binary(),
            dev_server_extra_args=SERVER_OPTIONS,
            search_attributes=attributes,
            data_converter=data_converter(Path(payloads)),
        ) as environment:
            for mode in MODES:
                for scenario in SCENARIOS if mode in ("iterative", "deep") else (complete,):
                    path = FOLDER / f"{mode}-{scenario.__name__}.json"
                    if not path.exists():
                        path.write_text(await record(environment.client, mode, scenario))
    gc.collect()
    await asyncio.sleep(0.3)  # the SDK's runtime can abort an interpreter that exits right after it


if __name__ == "__main__":
    asyncio.run(main())
