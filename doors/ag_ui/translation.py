"""A run's events as those of AG-UI 1.0 (https://docs.ag-ui.com/concepts/events), by the models of its own package.

Progress is reported as reasoning, a section as a subagent, the report as one message of the assistant, whose id is the
run's. Where the run waits for a decision, AG-UI ends its run with an interrupt; the run itself keeps waiting, and its
sections working. The request that answers the interrupt gets what came after it.
"""

from collections.abc import Iterator
from typing import Final

from ag_ui.core import (
    BaseEvent,
    CustomEvent,
    Interrupt,
    ReasoningEndEvent,
    ReasoningMessageContentEvent,
    ReasoningMessageEndEvent,
    ReasoningMessageStartEvent,
    ReasoningStartEvent,
    RunErrorEvent,
    RunFinishedCancelledOutcome,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunFinishedSuccessOutcome,
    RunStartedEvent,
    StateSnapshotEvent,
    SubagentFinishedEvent,
    SubagentFinishedSuspendedOutcome,
    SubagentStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
)

from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.report import Report
from elcano.graphs.state.events import AgentEvent, EventType

DELTA_CHARACTERS: Final = 400
"""Length of the pieces in which a report is sent."""
PLAN: Final = "plan"
"""Placeholder for the call in the id of an interrupt that asks for plan approval."""
DECISION: Final[JsonObject] = {
    "type": "object",
    "properties": {"approved": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["approved"],
}
"""The answer to an interrupt."""
_ENDINGS: Final = {"complete": "completed"}
"""The status of a run by its last event, where that names none and is called otherwise."""
_SILENT: Final[frozenset[EventType]] = frozenset({"state_updated", "streaming", "execution_ended"})


class Translation:
    """Translates the events of one run for one run of AG-UI."""

    def __init__(self, thread_id: str, ag_ui_run: str, run_id: str, address: str) -> None:
        self._thread = thread_id
        self._run = ag_ui_run
        self._run_id = run_id
        self._address = address
        self._reasoning: str = ""
        """The reasoning that is open: the path of who thinks, and a number; empty: none."""
        self._thoughts = 0
        self._sections: dict[str, str] = {}
        """The sections that were reported as subagents and have not ended, by path."""

    def open(self, status: str) -> Iterator[BaseEvent]:
        """The first events: which run it is, and where all about it is."""
        yield RunStartedEvent(thread_id=self._thread, run_id=self._run)
        yield self._snapshot(status)

    def tell(self, event: AgentEvent) -> Iterator[BaseEvent]:
        """The events for one of the run that is not its last."""
        if event.type == "branch_started":
            yield from self._end_reasoning()
            self._sections[event.path] = event.section or event.path
            yield self._start_subagent(event.path)
        elif event.type == "branch_complete" and event.path in self._sections:
            yield from self._end_reasoning()
            del self._sections[event.path]
            yield SubagentFinishedEvent(subagent_run_id=self._name_subagent(event.path))
        elif event.type not in _SILENT:
            yield from self._think(event)

    def pass_over(self, event: AgentEvent) -> None:
        """Take note of an event that the client had before."""
        if event.type == "branch_started":
            self._sections[event.path] = event.section or event.path
        elif event.type == "branch_complete":
            self._sections.pop(event.path, None)

    def resume(self) -> Iterator[BaseEvent]:
        """The events of sections that were suspended by an interrupt and go on."""
        for path in self._sections:
            yield self._start_subagent(path)

    def interrupt(self, event: AgentEvent) -> Iterator[BaseEvent]:
        """The events of a wait for approval."""
        yield from self._end_reasoning()
        for path in self._sections:
            yield SubagentFinishedEvent(
                subagent_run_id=self._name_subagent(path), outcome=SubagentFinishedSuspendedOutcome()
            )
        asked = Interrupt(
            id=name_interrupt(self._run_id, event),
            reason="approval",
            message=event.message,
            response_schema=dict(DECISION),
            metadata=dict(event.data),
        )
        yield RunFinishedEvent(
            thread_id=self._thread, run_id=self._run, outcome=RunFinishedInterruptOutcome(interrupts=[asked])
        )

    def close(self, last: AgentEvent, report: Report | None, citations: list[JsonObject]) -> Iterator[BaseEvent]:
        """The events of the run's end: its report, if there is one, and how it ended."""
        yield from self._end_reasoning()
        for path in self._sections:
            yield SubagentFinishedEvent(subagent_run_id=self._name_subagent(path))
        if report is not None:
            text = report.markdown
            yield TextMessageStartEvent(message_id=self._run_id, role="assistant")
            for start in range(0, len(text), DELTA_CHARACTERS):
                yield TextMessageContentEvent(message_id=self._run_id, delta=text[start : start + DELTA_CHARACTERS])
            yield TextMessageEndEvent(message_id=self._run_id)
            yield CustomEvent(name="elcano.citations", value=citations)
        yield self._snapshot(str(last.data.get("status") or _ENDINGS.get(last.type, last.type)))
        if last.type == "failed":
            yield RunErrorEvent(message=last.message, code="run-failed")
            return
        cancelled = last.type == "cancelled"
        yield RunFinishedEvent(
            thread_id=self._thread,
            run_id=self._run,
            outcome=RunFinishedCancelledOutcome() if cancelled else RunFinishedSuccessOutcome(),
        )

    def _snapshot(self, status: str) -> BaseEvent:
        """The state that front ends show: which run it is, its status, and where all about it is."""
        address = f"{self._address}/v1/runs/{self._run_id}"
        return StateSnapshotEvent(
            snapshot={"run_id": self._run_id, "status": status, "run": address, "report": f"{address}/report"}
        )

    def _think(self, event: AgentEvent) -> Iterator[BaseEvent]:
        """One sentence, in the reasoning of the run or of the section that it is from."""
        whose = self._name_subagent(event.path) if event.path in self._sections else None
        if not self._reasoning.startswith(f"{event.path}#"):
            yield from self._end_reasoning()
            self._thoughts += 1
            self._reasoning = f"{event.path}#{self._thoughts}"
            yield ReasoningStartEvent(message_id=self._name_reasoning(), subagent_run_id=whose)
            yield ReasoningMessageStartEvent(message_id=self._name_reasoning(), subagent_run_id=whose)
        yield ReasoningMessageContentEvent(
            message_id=self._name_reasoning(), delta=f"{event.message}\n", subagent_run_id=whose
        )

    def _end_reasoning(self) -> Iterator[BaseEvent]:
        if self._reasoning:
            path = self._reasoning.rpartition("#")[0]
            whose = self._name_subagent(path) if path in self._sections else None
            yield ReasoningMessageEndEvent(message_id=self._name_reasoning(), subagent_run_id=whose)
            yield ReasoningEndEvent(message_id=self._name_reasoning(), subagent_run_id=whose)
            self._reasoning = ""

    def _start_subagent(self, path: str) -> BaseEvent:
        return SubagentStartedEvent(subagent_run_id=self._name_subagent(path), name=self._sections[path])

    def _name_reasoning(self) -> str:
        return f"{self._run_id}/thoughts/{self._run}/{self._thoughts}"

    def _name_subagent(self, path: str) -> str:
        return f"{self._run_id}/{path}"


def name_interrupt(run_id: str, event: AgentEvent) -> str:
    """The id of the interrupt of an event, by who asked and for what; empty if it asks for no decision."""
    if event.type == "plan_proposed":
        return f"{run_id}/{PLAN}/{event.seq}"
    if event.type == "approval_requested":
        return f"{event.data.get('run_id', run_id)}/{event.data['call']}"
    return ""


def parse_interrupt(name: str) -> tuple[str, str] | None:
    """The run, or the section, that asked, and the call, `plan` and a number for a plan; None if it is no such id."""
    asked_by, slash, call = name.partition("/")
    return (asked_by, call) if slash and asked_by and call else None
