"""Builds a pydantic-ai agent for each question of a definition, once. Agents have no tools: the graph is the loop."""

from functools import lru_cache
from typing import Any, Final

from pydantic_ai import Agent

from elcano.graphs.agents.definition import Answer, Question

FURTHER_TRIES: Final = 2
"""How often a model may mend an answer whose form is wrong, in the same conversation."""


def build_question_agent(kind: str, question: Question[Answer]) -> Agent[object, Answer]:
    """Return the agent that answers `question`, under the name of the task."""
    return _build_cached_agent(kind, question)


@lru_cache(maxsize=256)
def _build_cached_agent(kind: str, question: Question[Any]) -> Agent[object, Any]:
    return Agent(name=kind, output_type=question.answer, instructions=question.told, retries=FURTHER_TRIES)
