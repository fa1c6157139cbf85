"""The thinking agent: where the research stands and where it should go; never a draft of the answer."""

from pydantic_ai import Agent

from elcano.activities.agents.envelope import prompt
from elcano.activities.agents.loaded import Loaded
from elcano.graphs.catalogue.agents import ResearchContext, ThinkingOutput

INSTRUCTIONS = """\
You reflect on a piece of research that is under way. You are given the question, what was searched so far and the \
passages that were found.

Write a few sentences for the colleagues who work on it next:
- what the passages establish already, naming them by their keys;
- where passages contradict each other, and which of them you would trust and why;
- which part of the question nothing speaks to yet, and where that might be found;
- which searches brought nothing, so that nobody repeats them.

Rely on the passages alone, not on what you remember of the subject. Do not answer the question and do not draft the \
report.
"""

agent = Agent(name="thinking", output_type=ThinkingOutput, instructions=INSTRUCTIONS, retries=2)


def show(given: ResearchContext, loaded: Loaded) -> str:
    """The user prompt: the research so far."""
    task = loaded.envelope("thinking", given)
    return prompt("Reflect on the state of the research described in this task envelope.", task)
