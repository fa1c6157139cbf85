"""Replays histories with today's workflows: `python -m tests.replay.replaying FOLDER` does it for all of a folder."""

import asyncio
import gc
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from temporalio.client import WorkflowHistory
from temporalio.worker import Replayer

from elcano.storage.objects import open_objects
from elcano.storage.payloads import data_converter
from elcano.workflows.chain import ChainWorkflow
from elcano.workflows.research import ResearchWorkflow
from elcano.workflows.sandbox import checking_runner


def replayer(payloads: Path) -> Replayer:
    return Replayer(
        workflows=[ResearchWorkflow, ChainWorkflow],
        data_converter=data_converter(open_objects("", payloads)),
        workflow_runner=checking_runner(),
    )


def stored_in(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"))


async def failures(folder: Path) -> list[str]:
    """Which histories today's code would not have written, each with the reason."""
    histories = [WorkflowHistory.from_json(path.stem, path.read_text()) for path in stored_in(folder)]
    if not histories:
        return [f"there are no histories in {folder}"]
    found = []
    with TemporaryDirectory() as payloads:
        for history in histories:
            result = await replayer(Path(payloads)).replay_workflow(history, raise_on_replay_failure=False)
            if result.replay_failure is not None:
                found.append(f"{history.workflow_id}: {result.replay_failure}")
    return found


if __name__ == "__main__":
    found = asyncio.run(failures(Path(sys.argv[1])))
    gc.collect()
    time.sleep(0.3)  # the SDK's runtime can abort an interpreter that exits right after it
    sys.exit("\n".join(found) or 0)
