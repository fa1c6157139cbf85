"""Scripted research: answers for every agent and tool, playable as activities and in memory.

It replaces the agents themselves, not their models: answers are what a graph's state holds. The same script drives the
workflow and `run_in_memory`, so that both can be compared.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from elcano.graphs.catalogue.tools import ItemOutcome, ItemOutcomes
from elcano.graphs.contracts import PublishCall, ReopenCall
from elcano.graphs.engine.entries import Call, CallAgent, CallTool, Entry, StepCompleted, StepFailed
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.records import ArchiveCall
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.failures import Failure, FailureDetails, FailureType
from elcano.graphs.text import ensure_list


class Refused(Exception):
    """A scripted permanent failure."""

    def __init__(self, message: str, *, type: str = "Scripted", spent: FailureDetails | None = None) -> None:
        self.type = type
        self.details = [spent.model_dump(mode="json")] if spent else []
        super().__init__(message)


def make_passages(*names: str) -> list[Json]:
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

_TEAM = ("searcher", "hypothesizer", "judge")


def make_progress_ledger(
    speaker: str, instruction: str, *, satisfied: bool = False, loop: bool = False, progress: bool = True
) -> JsonObject:
    """Return a team manager's answer after a turn."""
    return {
        "request_satisfied": {"answer": satisfied, "reason": "scripted"},
        "in_loop": {"answer": loop, "reason": "scripted"},
        "progress": {"answer": progress, "reason": "scripted"},
        "next_speaker": {"answer": speaker, "reason": "scripted"},
        "instruction": {"answer": instruction, "reason": "scripted"},
    }


def _of_team(name: str, given: JsonObject, *, satisfied: bool) -> JsonObject:
    """Answer for a manager: each member's turn in order, with a different instruction each round."""
    turn, found = given.get("iteration", 1), given.get("evidence", [])
    assert isinstance(turn, int)
    if name == "task_ledger":
        return {"given": [str(given["question"])], "plan": ["searcher: look", "judge: judge", "reporter: write"]}
    if name == "hypothesizer":
        both: list[Json] = [
            {"statement": "It is so", "supports": ensure_list(found)[:1]},
            {"statement": "It is not so"},
        ]
        return {"hypotheses": both}
    speaker = "reporter" if satisfied else _TEAM[(turn - 1) % len(_TEAM)]
    return make_progress_ledger(speaker, f"turn {turn}: do your part", satisfied=satisfied)


class Script:
    """The answers of all agents and tools. `calls` holds their names in the order of calling."""

    def __init__(self, *, complete_in: int = 2, tokens: int = 300) -> None:
        self.complete_in = complete_in
        """The iteration in which the gap agent reports that nothing is missing."""
        self.tokens = tokens
        self.sections: tuple[str, ...] = ("history", "method", "cost")
        self.calls: list[str] = []
        self.published: list[PublishCall] = []
        self.archived: list[ArchiveCall] = []
        self.reopened: list[ReopenCall] = []
        self.ledger: dict[tuple[str, str], Usage] = {}
        """The usage of every agent's activity, by run and activity id."""
        self.last_event = 0
        """The highest event number that a client saw before a reset."""
        self.answered = True
        """Whether the report says that the question is answered."""
        self.overrides: dict[str, Answer] = {}
        """Functions by agent or tool that replace the answers below; they may raise `Refused`."""
        self.watching: Callable[[JsonObject], Awaitable[None]] | None = None
        """Called with every call of an agent before it is answered; it may take its time."""

    def answer(self, name: str, given: JsonObject) -> JsonObject:
        """Return the answer of the agent or tool called `name` to `given`.

        Raises:
            Refused: an override says so.
        """
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
                sources = given.get("sources")
                source = sources[0] if isinstance(sources, list) and sources else "library"
                return {"tasks": [{"source": source, "query": f"{given['gap']} {part}"} for part in ("a", "b")]}
            case "search":
                found = make_passages(str(given["query"]).replace(" ", "-"))
                return {"source": given["source"], "query": given["query"], "evidence": found}
            case "team_judge":
                good = turn >= self.complete_in
                if good:
                    return {"sufficient": True, "feedback": "It will do."}
                topic = str(given["question"])
                return {"sufficient": False, "feedback": f"judge {turn}: more on {topic}", "missing": [f"gap {turn}"]}
            case "input_parser":
                question = str(given["question"])
                mode = "deep" if "deep" in question else "iterative"
                return {"original_query": question, "improved_query": f"{question}!", "research_mode": mode}
            case "planner":
                outline: list[Json] = [{"title": title, "key_question": f"What of {title}?"} for title in self.sections]
                return {"report_title": "A plan", "report_outline": outline}
            case "task_ledger" | "progress_ledger" | "hypothesizer":
                return _of_team(name, given, satisfied=turn > self.complete_in + 1)
            case "writer" | "drafter" | "long_writer" | "proofreader" | "data_writer":
                cited = given.get("evidence", [])
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
                return _FIXED.get(name, {"ok": True})

    @property
    def usage(self) -> Usage:
        """The usage of every call of an agent."""
        return Usage(requests=1, input_tokens=self.tokens, output_tokens=50, cost_microusd=10)

    async def perform(self, work: Call, at: float) -> Entry:
        """Give the same answers to `run_in_memory`."""
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
                return complete_tool_call(work, [self._item(work, index) for index in range(len(work.inputs))], at)

    def _item(self, work: CallTool, index: int) -> ItemOutcome:
        given = work.inputs[index]
        try:
            return ItemOutcome(index=index, input=given, output=self.answer(work.tool, given))
        except Refused as error:
            return ItemOutcome(index=index, input=given, error=str(error), error_type=error.type)


def complete_tool_call(work: CallTool, items: Sequence[ItemOutcome], at: float) -> Entry:
    """Return the entry of a tool's call of which these are the outcomes, one for each input."""
    if work.for_each:
        output = ItemOutcomes(items=tuple(items)).model_dump(mode="json")
        return StepCompleted(step=work.step, node=work.node, at=at, output=output)
    (only,) = items
    if only.error is not None:
        failure = Failure(node=work.node, type=only.error_type or "", message=only.error)
        return StepFailed(step=work.step, node=work.node, at=at, failure=failure)
    return StepCompleted(step=work.step, node=work.node, at=at, output=only.output or {})


_FIXED: Final[dict[str, JsonObject]] = {
    "judge": {
        "sufficient": False,
        "confidence": 0.5,
        "recommendation": "continue",
        "reasoning": "not yet",
        "next_search_queries": ["more"],
    },
    "analyst": {"hypotheses": [{"statement": "It holds."}], "measurements": []},
    "analyze": {"artifact": "an analysis", "verdict": "inconclusive", "told": "Nothing was pooled."},
    "compute": {"result": None},
    "splitter": {"reason": "scripted"},
    "sql_examples": {"examples": []},
    "schema_context": {
        "found": {
            "database": "sales",
            "dialect": "sqlite",
            "tables": [{"name": "sales", "columns": [{"name": "year"}, {"name": "revenue"}]}],
        }
    },
    "execute_sql": {"fault": {"stage": "database", "message": "No result is scripted for this query."}},
    "list_tools": {"servers": []},
    "sql_writer": {"decision": "refused", "explanation": "No query is scripted for this question."},
    "sql_repairer": {"explanation": "No other query is scripted."},
    "consensus": {"told": "Nothing was merged."},
    "chart": {"reason": "There is no chart."},
    "forecast": {"refused": {"reasons": ["empty"], "message": "Nothing was forecast."}},
}
"""Answers that do not depend on the input."""
