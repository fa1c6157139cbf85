"""The agents that are asked once, by their names in the catalogue. The long writer is not among them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic_ai import Agent

from elcano.activities.agents import (
    input_parser,
    judge,
    knowledge_gap,
    planner,
    proofreader,
    thinking,
    tool_selector,
    writer,
)
from elcano.activities.agents.loaded import Loaded


@dataclass(frozen=True)
class Definition:
    """An agent and how its prompt is made."""

    agent: Agent[object, Any]
    """Its output is the catalogue's output model, or, for a writer, the draft that is stored."""
    show: Callable[[Any, Loaded], str]
    """From an input of the catalogue's input model to the user prompt."""


AGENTS: Final[Mapping[str, Definition]] = {
    "thinking": Definition(thinking.agent, thinking.show),
    "knowledge_gap": Definition(knowledge_gap.agent, knowledge_gap.show),
    "tool_selector": Definition(tool_selector.agent, tool_selector.show),
    "judge": Definition(judge.agent, judge.show),
    "writer": Definition(writer.agent, writer.show),
    "input_parser": Definition(input_parser.agent, input_parser.show),
    "planner": Definition(planner.agent, planner.show),
    "proofreader": Definition(proofreader.agent, proofreader.show),
}
