"""Builds a pydantic-ai agent for each question of a definition, once. Agents have no tools: the graph is the loop."""

from functools import lru_cache
from typing import Any, Final

from pydantic_ai import Agent

from elcano.graphs.agents.definition import Answer, Question
from elcano.graphs.agents.envelope import TaskEnvelope

FURTHER_TRIES: Final = 2
"""How often a model may correct an answer in the wrong form, in the same conversation."""


def build_question_agent(question: Question[Answer], task: TaskEnvelope) -> Agent[object, Answer]:
    """Return the agent that answers `question`, under the name of the task; told what applies to it."""
    return _build_cached_agent(task.kind, question.answer_for(task), question.instructions_for(task))


@lru_cache(maxsize=256)
def _build_cached_agent(kind: str, answer: type[Any], instructions: str) -> Agent[object, Any]:
    return Agent(name=kind, output_type=answer, instructions=instructions, retries=FURTHER_TRIES)
