"""The knowledge gap agent: whether the question is answered and, if not, what is missing."""

from pydantic_ai import Agent

from elcano.activities.agents.envelope import prompt
from elcano.activities.agents.loaded import Loaded
from elcano.graphs.catalogue.agents import KnowledgeGapInput, KnowledgeGapOutput

INSTRUCTIONS = """\
You decide whether a piece of research has found what it needs. You are given the question, what was searched so far \
and the passages that were found.

Take the question apart into everything it asks for. For each part, look for a passage that answers it. What you \
remember of the subject does not count; only passages do.

The research is complete only if every part has its passage. Otherwise name what is missing:
- one gap for each missing part, at most five, the most important first;
- each as a short question or phrase that a person could look up, with the proper names of the subject in it;
- nothing that was searched for repeatedly without result, unless you can ask for it in other words.

When few iterations are left, name only gaps without which the question cannot be answered.
"""

agent = Agent(name="knowledge_gap", output_type=KnowledgeGapOutput, instructions=INSTRUCTIONS, retries=2)


def show(given: KnowledgeGapInput, loaded: Loaded) -> str:
    """The user prompt: the research so far, and how much of the loop is left."""
    task = loaded.envelope("knowledge_gap", given)
    task = task.model_copy(update={"max_iterations": given.max_iterations})
    return prompt("Say what the research described in this task envelope still lacks.", task)
