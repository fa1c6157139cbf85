"""Runs that are in flight must survive a change of the code: committed histories are replayed by today's workflow.

A failure here means that a run started before the change would stop with a nondeterminism error. Guard the change with
`workflow.patched`, as CONTRIBUTING.md shows; do not record the history anew unless no such run can exist.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path

import pytest
from temporalio.client import WorkflowHistory
from temporalio.workflow import NondeterminismError

from elcano.graphs.contracts import CHAIN_MODES
from elcano.graphs.lifecycle.finish import build_run_log
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.mode_choice import MODES
from elcano.graphs.records import RunLog
from elcano.graphs.rules import RULES, AgentFigures, Rules
from elcano.graphs.run_contracts import ResearchInput
from tests.folding import difference, every_log_handed_over
from tests.replay.record import CHAIN, FOLDER
from tests.replay.replaying import replayer, stored_in

HISTORIES = stored_in(FOLDER)


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, object]:
    """What is wrong with each history. One worker replays them all: a new one loads the sandbox twice before that."""
    return asyncio.run(find_faults(tmp_path_factory.mktemp("payloads")))


async def find_faults(payloads: Path) -> Mapping[str, object]:
    async def read_histories() -> AsyncIterator[WorkflowHistory]:
        for path in HISTORIES:
            logs.clear()
            yield WorkflowHistory.from_json(path.stem, path.read_text())

    found: dict[str, object] = {}
    with every_log_handed_over() as logs:
        async with replayer(payloads).workflow_replay_iterator(read_histories()) as replayed:
            async for result in replayed:
                folded = [fault for log in logs if (fault := difference(log)) is not None]
                found[result.history.workflow_id] = result.replay_failure or folded
    return found


@pytest.mark.parametrize("path", HISTORIES, ids=lambda path: path.stem)
def test_history_replays(path: Path, faults: Mapping[str, object]) -> None:
    assert faults[path.stem] == []


def test_every_mode_has_a_history_as_a_graph_and_as_a_chain() -> None:
    recorded = {path.stem for path in HISTORIES}
    assert recorded >= {f"{mode}-complete" for mode in MODES}
    assert recorded >= {f"{mode}-complete-{CHAIN}" for mode in CHAIN_MODES}


def test_a_changed_step_is_noticed(tmp_path: Path) -> None:
    path = next(path for path in HISTORIES if path.stem == "iterative-complete")
    changed = path.read_text().replace("0003-knowledge_gap", "0002-something_else")
    with pytest.raises(NondeterminismError):
        asyncio.run(replayer(tmp_path).replay_workflow(WorkflowHistory.from_json(path.stem, changed)))


STRICTER = Rules(
    stall_iterations=2,
    breaker_failures=1,
    prompt_tokens=20_000,
    section_tokens=9_000,
    max_items=1,
    agents={"writer": AgentFigures(output_tokens=90_000, evidence_tokens=90_000)},
)


def test_runs_replay_by_the_rules_that_they_started_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later program with other rules; some of these histories would go another way by them."""
    monkeypatch.setattr("elcano.graphs.rules.RULES", [*RULES, STRICTER])
    for name in ("iterative-stopped", "deep-complete", "simple-complete", "deep-complete-chain"):
        path = FOLDER / f"{name}.json"
        asyncio.run(replayer(tmp_path).replay_workflow(WorkflowHistory.from_json(name, path.read_text())))


def test_the_same_runs_would_go_another_way_by_other_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elcano.graphs.rules.RULES", [STRICTER] * len(RULES))
    path = FOLDER / "deep-complete.json"
    with pytest.raises(NondeterminismError):
        asyncio.run(replayer(tmp_path).replay_workflow(WorkflowHistory.from_json(path.stem, path.read_text())))


def test_numbers_go_on_above_those_that_were_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later program that tells less still never gives an event a number that a client has seen."""
    path = FOLDER / "iterative-complete.json"
    history = WorkflowHistory.from_json(path.stem, path.read_text())
    monkeypatch.setattr("elcano.graphs.lifecycle.journal.narrate_command", lambda graph, command: ())
    numbers: list[int] = []

    def noted(asked: ResearchInput, journal: Journal) -> RunLog:
        numbers.extend(event.seq for event in journal.events)
        return build_run_log(asked, journal)

    monkeypatch.setattr("elcano.workflows.run_conclusion.build_run_log", noted)
    asyncio.run(replayer(tmp_path).replay_workflow(history))
    told = max(number for number in results(history, "last_event") if isinstance(number, int))
    assert numbers == sorted(set(numbers))
    assert len(numbers) < told < numbers[-1]


def results(history: WorkflowHistory, field: str) -> Iterator[object]:
    """A field of what each activity of a history answered."""
    for event in history.events:
        for payload in event.activity_task_completed_event_attributes.result.payloads:
            answer = json.loads(payload.data or "null")
            yield answer.get(field) if isinstance(answer, dict) else None
