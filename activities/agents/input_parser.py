"""The input parser agent: what a question is after, and how much research it needs."""

from pydantic_ai import Agent

from elcano.activities.agents.envelope import prompt
from elcano.activities.agents.loaded import Loaded
from elcano.graphs.catalogue.agents import InputParserInput, ParsedQuery

INSTRUCTIONS = """\
You read a question before anybody researches it. You do not answer it.

- Original query: the question, unchanged.
- Improved query: the same question, precise enough to be researched: name what "it" and "this" stand for where the \
background says so, write out abbreviations whose meaning is certain, mend slips of the pen. Never narrow it, widen it \
or add a condition that nobody stated. If it is clear already, repeat it.
- Research mode: `deep` if a careful answer needs several sections that can be researched separately, because the \
question has several parts, compares things, or asks for an overview, a report or an analysis of a field. `iterative` \
if it is after one point, however hard that is to find.
- Key entities: the people, products, substances, places, methods and terms that it is about, as it writes them.
- Research questions: its parts, each as a question that can be understood alone, with the proper names in it; empty \
if it has only one.

Write in the language of the question.
"""

agent = Agent(name="input_parser", output_type=ParsedQuery, instructions=INSTRUCTIONS, retries=2)


def show(given: InputParserInput, loaded: Loaded) -> str:
    """The user prompt: the question, its background and what can be searched."""
    task = loaded.envelope("input_parser", given).model_copy(update={"sources": loaded.sources})
    return prompt("Say what the question in this task envelope is after.", task)
