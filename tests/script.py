"""A scripted research: answers for every agent and tool, playable as activities and in memory.

The same script drives the workflow and the in-memory runner, so that both can be held against each other.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from temporalio import activity
from temporalio.exceptions import ApplicationError

from elcano.graphs.catalogue.tools import ItemOutcome, ItemOutcomes
from elcano.graphs.contracts import (
    ARCHIVE_RUN,
    PUBLISH_REPORT,
    READ_USAGE,
    REOPEN_RUN,
    RUN_AGENT,
    RUN_TOOL,
    AgentCall,
    AgentResult,
    ArchiveCall,
    PublishCall,
    ReopenCall,
    Reopened,
    ToolCall,
    ToolResult,
    UsageQuestion,
)
from elcano.graphs.engine.commands import Call, CallAgent, CallTool
from elcano.graphs.engine.entries import Entry, StepCompleted, StepFailed
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.values.budget import Usage, total
from elcano.graphs.values.failures import FailureDetails, FailureType
from elcano.graphs.values.report import ReportRef
from elcano.graphs.values.state import Failure


class Refused(Exception):
    """A scripted failure for good."""

    def __init__(self, message: str, *, type: str = "Scripted", spent: FailureDetails | None = None) -> None:
        self.type = type
        self.details = [spent.model_dump(mode="json")] if spent else []
        super().__init__(message)


def passages(*names: str) -> list[Json]:
    """Evidence references as a search returns them."""
    return [
        {
            "id": f"doc:{name}",
            "source": "library",
            "title": name.title(),
            "locator": f"{name}.md",
            "excerpt": f"about {name}",
            "characters": 400,
            "document": f"doc:{name}",
        }
        for name in names
    ]


Answer = Callable[[JsonObject], JsonObject]


class Script:
    """What everybody answers. `calls` holds the names in the order of calling."""

    def __init__(self, *, complete_in: int = 2, tokens: int = 300) -> None:
        self.complete_in = complete_in
        """The iteration in which the gap agent says that nothing is missing."""
        self.tokens = tokens
        self.sections: tuple[str, ...] = ("history", "method", "cost")
        self.calls: list[str] = []
        self.published: list[PublishCall] = []
        self.archived: list[ArchiveCall] = []
        self.reopened: list[ReopenCall] = []
        self.ledger: dict[tuple[str, str], Usage] = {}
        """What every activity of an agent used, by run and activity id."""
        self.told = 0
        """The highest event number that anybody saw before a reset."""
        self.answered = True
        """Whether the report says that the question is answered."""
        self.overrides: dict[str, Answer] = {}
        """By agent or tool: instead of the answers below; may raise `Refused`."""
        self.watching: Callable[[JsonObject], Awaitable[None]] | None = None
        """Is told of every call of an agent before it is answered, and may take its time."""

    def answer(self, name: str, given: JsonObject) -> JsonObject:
        self.calls.append(name)
        if name in self.overrides:
            return self.overrides[name](given)
        turn: Any = given.get("iteration", 1)
        match name:
            case "thinking":
                return {"thought": f"turn {turn}: look closer"}
            case "knowledge_gap":
                done = turn >= self.complete_in
                topic = str(given["question"]).removeprefix("What ").rstrip("?")
                return {"research_complete": done, "outstanding_gaps": [] if done else [f"gap {turn} {topic}"]}
            case "tool_selector":
                return {"tasks": [{"source": "library", "query": f"{given['gap']} {part}"} for part in ("a", "b")]}
            case "search":
                found = passages(str(given["query"]).replace(" ", "-"))
                return {"source": given["source"], "query": given["query"], "evidence": found}
            case "judge":
                return {
                    "sufficient": False,
                    "confidence": 0.5,
                    "recommendation": "continue",
                    "reasoning": "not yet",
                    "next_search_queries": ["more"],
                }
            case "input_parser":
                question = str(given["question"])
                mode = "deep" if "deep" in question else "iterative"
                return {"original_query": question, "improved_query": f"{question}!", "research_mode": mode}
            case "planner":
                outline: list[Json] = [{"title": title, "key_question": f"What of {title}?"} for title in self.sections]
                return {"report_title": "A plan", "report_outline": outline}
            case "writer" | "long_writer" | "proofreader":
                cited = given["evidence"]
                assert isinstance(cited, list)
                return {
                    "artifact": f"draft of {given['question']}",
                    "title": "A report",
                    "answered": True,
                    "claims": 2,
                    "cited": len(cited),
                    "evidence": cited,
                }
            case _:
                return {"ok": True}

    @property
    def usage(self) -> Usage:
        return Usage(requests=1, input_tokens=self.tokens, output_tokens=50, cost_microusd=10)

    @property
    def activities(self) -> Sequence[Callable[..., Any]]:
        """The activities of a worker, under their real names."""

        @activity.defn(name=RUN_AGENT)
        async def run_agent(call: AgentCall) -> AgentResult:
            if self.watching is not None:
                await self.watching(call.input)
            output = self._or_fail(call.agent, call.input)
            self.ledger[call.run_id, activity.info().activity_id] = self.usage
            return AgentResult(output=output, usage=self.usage, model="scripted")

        @activity.defn(name=RUN_TOOL)
        async def run_tool(call: ToolCall) -> ToolResult:
            return ToolResult(output=self._or_fail(call.tool, call.input))

        @activity.defn(name=PUBLISH_REPORT)
        async def publish_report(call: PublishCall) -> ReportRef:
            self.published.append(call)
            partial = call.ending.kind if call.ending else None
            return ReportRef(
                artifact="report",
                title="A report",
                answered=self.answered,
                partial=partial,
                words=100,
                references=2,
                verified=2,
                unverified=0,
            )

        @activity.defn(name=ARCHIVE_RUN)
        async def archive_run(call: ArchiveCall) -> None:
            self.archived.append(call)

        @activity.defn(name=READ_USAGE)
        async def read_usage(asked: UsageQuestion) -> Usage:
            return total(
                usage
                for (run_id, activity_id), usage in self.ledger.items()
                if (run_id == asked.run_id or run_id.startswith(f"{asked.run_id}."))
                and asked.activity in ("", activity_id)
            )

        @activity.defn(name=REOPEN_RUN)
        async def reopen_run(call: ReopenCall) -> Reopened:
            self.reopened.append(call)
            return Reopened(told=self.told)

        return [run_agent, run_tool, read_usage, reopen_run, publish_report, archive_run]

    def _or_fail(self, name: str, given: JsonObject) -> JsonObject:
        try:
            return self.answer(name, given)
        except Refused as error:
            raise ApplicationError(str(error), *error.details, type=error.type, non_retryable=True) from error

    async def perform(self, work: Call, at: float) -> Entry:
        """The same answers for the in-memory runner."""
        match work:
            case CallAgent():
                try:
                    output = self.answer(work.agent, work.input)
                except Refused as error:
                    fatal = error.type == FailureType.MODEL_REFUSED
                    failure = Failure(node=work.node, type=error.type, message=str(error), fatal=fatal)
                    return StepFailed(step=work.step, node=work.node, at=at, failure=failure)
                return StepCompleted(
                    step=work.step, node=work.node, at=at, output=output, usage=self.usage, model="scripted"
                )
            case CallTool():
                items = tuple(self._item(work, index) for index in range(len(work.inputs)))
                output = ItemOutcomes(items=items).model_dump(mode="json")
                if not work.for_each:
                    (only,) = items
                    if only.error is not None:
                        failure = Failure(node=work.node, type=only.error_type or "", message=only.error)
                        return StepFailed(step=work.step, node=work.node, at=at, failure=failure)
                    output = only.output or {}
                return StepCompleted(step=work.step, node=work.node, at=at, output=output)

    def _item(self, work: CallTool, index: int) -> ItemOutcome:
        given = work.inputs[index]
        try:
            return ItemOutcome(index=index, input=given, output=self.answer(work.tool, given))
        except Refused as error:
            return ItemOutcome(index=index, input=given, error=str(error), error_type=error.type)
