"""Scripted research: answers for every agent and tool, playable as activities and in memory.

It replaces the agents themselves, not their models: answers are what a graph's state holds. The same script drives the
workflow and `run_in_memory`, so that both can be compared.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

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
        if (scripted := _SCRIPTED.get(name)) is not None:
            return scripted(self, given)
        return _FIXED.get(name, {"ok": True})

    def is_complete(self, given: JsonObject, more: int = 0) -> bool:
        """Whether nothing is missing in the iteration of a call, or `more` iterations before it."""
        return _turn_of(given) >= self.complete_in + more

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


def _turn_of(given: JsonObject) -> int:
    turn = given.get("iteration", 1)
    assert isinstance(turn, int)
    return turn


def _find_gap(script: Script, given: JsonObject) -> JsonObject:
    done, topic = script.is_complete(given), str(given["question"]).removeprefix("What ").rstrip("?")
    return {"research_complete": done, "outstanding_gaps": [] if done else [f"gap {_turn_of(given)} {topic}"]}


def _select_tools(script: Script, given: JsonObject) -> JsonObject:
    source = next(iter(ensure_list(given.get("sources"))), "library")
    return {"tasks": [{"source": source, "query": f"{given['gap']} {part}"} for part in ("a", "b")]}


def _judge_team(script: Script, given: JsonObject) -> JsonObject:
    if script.is_complete(given):
        return {"sufficient": True, "feedback": "It will do."}
    turn = _turn_of(given)
    more = f"judge {turn}: more on {given['question']}"
    return {"sufficient": False, "feedback": more, "missing": [f"gap {turn}"]}


def _choose_speaker(script: Script, given: JsonObject) -> JsonObject:
    """Each member's turn in order, with a different instruction each round."""
    turn, satisfied = _turn_of(given), script.is_complete(given, 2)
    speaker = "reporter" if satisfied else _TEAM[(turn - 1) % len(_TEAM)]
    return make_progress_ledger(speaker, f"turn {turn}: do your part", satisfied=satisfied)


def _write(script: Script, given: JsonObject) -> JsonObject:
    cited = ensure_list(given.get("evidence", []))
    return {
        "artifact": f"draft of {given['question']}",
        "title": "A report",
        "answered": True,
        "claims": 2,
        "cited": len(cited),
        "evidence": cited,
    }


_SCRIPTED: Final[Mapping[str, Callable[[Script, JsonObject], JsonObject]]] = {
    "thinking": lambda script, given: {"thought": f"turn {_turn_of(given)}: look closer"},
    "knowledge_gap": _find_gap,
    "tool_selector": _select_tools,
    "search": lambda script, given: {
        "source": given["source"],
        "query": given["query"],
        "evidence": make_passages(str(given["query"]).replace(" ", "-")),
    },
    "team_judge": _judge_team,
    "input_parser": lambda script, given: {
        "original_query": given["question"],
        "improved_query": f"{given['question']}!",
        "research_mode": "deep" if "deep" in str(given["question"]) else "iterative",
    },
    "planner": lambda script, given: {
        "report_title": "A plan",
        "report_outline": [{"title": title, "key_question": f"What of {title}?"} for title in script.sections],
    },
    "task_ledger": lambda script, given: {
        "given": [str(given["question"])],
        "plan": ["searcher: look", "judge: judge", "reporter: write"],
    },
    "progress_ledger": _choose_speaker,
    "hypothesizer": lambda script, given: {
        "hypotheses": [
            {"statement": "It is so", "supports": ensure_list(given.get("evidence", []))[:1]},
            {"statement": "It is not so"},
        ]
    },
    **dict.fromkeys(("writer", "drafter", "long_writer", "proofreader", "data_writer"), _write),
}
"""Answers that depend on the input, by agent or tool."""
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
