"""Phrases that events share: counted things, and what a call is about, told from what it is given.

Whoever watches reads what is being worked on now, not what an agent is for in general.
"""

from collections.abc import Callable, Mapping

from elcano.graphs.catalogue.listing import AGENTS, TOOLS
from elcano.graphs.engine.commands import CallAgent, CallTool
from elcano.graphs.frozen import Json, JsonObject


def counted(number: int, one: str, many: str = "") -> str:
    """`1 passage`, `2 passages`; `many` where it is not `one` with an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def title(node: str) -> str:
    """A node's id as words: `knowledge_gap` is `Knowledge gap`."""
    return node.replace("_", " ").capitalize()


def work_of_agent(call: CallAgent) -> str:
    """What an agent is to do now; of one without a phrase here, what it is for."""
    phrase = _AGENTS.get(call.agent)
    return f"{title(call.node)}: {phrase(call.input) if phrase else AGENTS[call.agent].description}"


def work_of_tool(call: CallTool) -> str:
    """What a tool looks for, each query once, however many sources it goes to."""
    return f"{title(call.node)}: {' · '.join(queries(call)) or TOOLS[call.tool].description}"


def queries(call: CallTool) -> list[str]:
    """What is searched for, each once."""
    return list(dict.fromkeys(str(query) for given in call.inputs if (query := given.get("query"))))


def _turn(given: JsonObject) -> str:
    most = given.get("max_iterations")
    return f"iteration {given.get('iteration', 1)}" + (f" of at most {most}" if most else "")


def _passages(given: JsonObject) -> str:
    """What the agent can see: what it is handed, and what the turns so far have found."""
    seen = {str(id) for id in _listed(given, "evidence")}
    for turn in _listed(given, "conversation"):
        if isinstance(turn, dict):
            seen.update(str(id) for id in _listed(turn, "findings"))
    return counted(len(seen), "passage") if seen else "no passage"


def _sections(given: JsonObject) -> str:
    return counted(len(_listed(given, "sections")), "section")


def _listed(given: JsonObject, name: str) -> list[Json]:
    value = given.get(name)
    return value if isinstance(value, list) else []


def _for_gap(given: JsonObject) -> str:
    return f" for: {given['gap']}" if given.get("gap") else ""


_AGENTS: Mapping[str, Callable[[JsonObject], str]] = {
    "input_parser": lambda given: f"what is asked by: {given.get('question')}",
    "planner": lambda given: f"sections for: {given.get('question')}",
    "thinking": lambda given: f"where to look, {_turn(given)}, {_passages(given)} so far",
    "knowledge_gap": lambda given: f"what is missing beside {_passages(given)}, {_turn(given)}",
    "tool_selector": lambda given: f"searches{_for_gap(given)}",
    "judge": lambda given: f"whether {_passages(given)} will do{_for_gap(given)}",
    "writer": lambda given: f"a report from {_passages(given)}",
    "long_writer": lambda given: f"joins {_sections(given)}, one after the other",
    "proofreader": lambda given: f"joins {_sections(given)} in one pass",
}
