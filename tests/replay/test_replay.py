"""Runs that are in flight must survive a change of the code: committed histories are replayed by today's workflow.

A failure here means that a run started before the change would stop with a nondeterminism error. Guard the change with
`workflow.patched`, as CONTRIBUTING.md shows; do not record the history anew unless no such run can exist.
"""

import asyncio
from pathlib import Path

import pytest
from temporalio.client import WorkflowHistory
from temporalio.workflow import NondeterminismError

from elcano.graphs.contracts import CHAIN_MODES
from elcano.graphs.modes import MODES
from tests.replay.record import CHAIN, FOLDER
from tests.replay.replaying import replayer, stored_in

HISTORIES = stored_in(FOLDER)


@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: path.stem)
def test_history_replays(path: Path, tmp_path: Path) -> None:
    history = WorkflowHistory.from_json(path.stem, path.read_text())
    asyncio.run(replayer(tmp_path).replay_workflow(history))


def test_every_mode_has_a_history_as_a_graph_and_as_a_chain() -> None:
    recorded = {path.stem for path in HISTORIES}
    assert recorded >= {f"{mode}-complete" for mode in MODES}
    assert recorded >= {f"{mode}-complete-{CHAIN}" for mode in CHAIN_MODES}


def test_a_changed_step_is_noticed(tmp_path: Path) -> None:
    path = next(path for path in HISTORIES if path.stem == "iterative-complete")
    changed = path.read_text().replace("0002-knowledge_gap", "0002-something_else")
    with pytest.raises(NondeterminismError):
        asyncio.run(replayer(tmp_path).replay_workflow(WorkflowHistory.from_json(path.stem, changed)))
