"""A research whose sizes are those of a real one and whose answers cost nothing: agents and searches by a script.

Sizes: three searches an iteration, eight passages each, excerpts of 240 characters; thoughts and judgements of some
hundred characters, as language models write them. Drafts are in the store in reality, so here only their references
are made.
"""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from temporalio.exceptions import ApplicationError

from benchmarks.server import archive_nothing, publish_nothing
from elcano.activities.agents.agent_activity import agent_activities
from elcano.activities.tools.tool_activities import tool_activities
from elcano.graphs.contracts import AgentCall, AgentResult, ToolCall, ToolResult
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.state import EXCERPT_CHARACTERS

SEARCHES = 3
PASSAGES = 8
_PROSE = "What was found so far speaks to the first part of the question but leaves open how the second one follows. "


class Scripted:
    """Answers every agent after `seconds`; a loop is complete after `iterations`, a plan has `sections`.

    `in_one`: a thought names the gaps and the searches too, as those of language models do. Else two more agents are
    asked for them, as they are with the extractive model.
    """

    def __init__(self, *, iterations: int, sections: int = 0, seconds: float = 0.0, in_one: bool = False) -> None:
        self._iterations = iterations
        self._sections = sections
        self._seconds = seconds
        self._in_one = in_one
        self.calls = 0

    @property
    def activities(self) -> Sequence[Callable[..., Any]]:
        """The activities of a worker, under their real names."""
        return [*agent_activities(self.ask), *tool_activities(self.use), publish_nothing, archive_nothing]

    async def ask(self, call: AgentCall) -> AgentResult:
        """What an agent answers."""
        self.calls += 1
        await asyncio.sleep(self._seconds)
        usage = Usage(requests=1, input_tokens=500, output_tokens=100)
        return AgentResult(output=self._answer(call), usage=usage, model="scripted")

    async def use(self, call: ToolCall) -> ToolResult:
        """What a tool gives."""
        self.calls += 1
        return ToolResult(output=_found(str(call.input["source"]), str(call.input["query"])))

    def _answer(self, call: AgentCall) -> JsonObject:
        turn: Any = call.input.get("iteration", 1)
        match call.agent:
            case "thinking":
                named = {**self._name_gaps(turn), **_choose_searches(call, turn)} if self._in_one else {}
                return {"thought": _PROSE * 4, **named}
            case "knowledge_gap":
                return self._name_gaps(turn)
            case "tool_selector":
                return _choose_searches(call, turn)
            case "judge":
                return {"sufficient": False, "confidence": 0.5, "recommendation": "continue", "reasoning": _PROSE * 3}
            case "planner":
                outline: list[Json] = [
                    {"title": f"Section {number}", "key_question": f"What of {number}?"}
                    for number in range(self._sections)
                ]
                return {"report_title": "A plan", "background_context": _PROSE * 2, "report_outline": outline}
            case _:
                given = call.input.get("evidence")
                if not isinstance(given, list):  # tried again it would be no other, and the run would never end
                    raise ApplicationError(f"no answer is scripted for {call.agent}", non_retryable=True)
                artifact = hashlib.sha256(call.run_id.encode()).hexdigest()
                draft: JsonObject = {"artifact": artifact, "title": _PROSE, "answered": True, "claims": 12}
                return draft | {"cited": len(given[:20]), "evidence": given[:20]}

    def _name_gaps(self, turn: int) -> JsonObject:
        complete = turn > self._iterations
        return {"research_complete": complete, "outstanding_gaps": [] if complete else [_PROSE]}


def _choose_searches(call: AgentCall, turn: int) -> JsonObject:
    queries = [f"{call.input['question']} part {part} of turn {turn}" for part in range(SEARCHES)]
    return {"tasks": [{"source": "library", "query": query, "gap": _PROSE} for query in queries]}


def _found(source: str, query: str) -> JsonObject:
    """Eight passages of one document, new ones for every query; ids as long as those of the documents source."""
    name = hashlib.sha256(query.encode()).hexdigest()
    passages: list[Json] = [
        {
            "id": f"library:{name[:8]}@{name[8:16]}:{400 * number}-{400 * number + 1500}",
            "source": source,
            "title": "A title as documents have it, of some length",
            "locator": f"handbook/chapter-{name[:8]}/page-{number}.md#a-heading",
            "excerpt": (_PROSE * 3)[:EXCERPT_CHARACTERS],
            "characters": 1_500,
            "document": f"library:{name[:8]}@{name[8:16]}",
        }
        for number in range(PASSAGES)
    ]
    return {"source": source, "query": query, "evidence": passages}
