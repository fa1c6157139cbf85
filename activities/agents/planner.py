"""The planner agent: which sections a report needs, each with the one question that its research answers."""

from pydantic_ai import Agent

from elcano.activities.agents.envelope import prompt
from elcano.activities.agents.loaded import Loaded
from elcano.graphs.catalogue.agents import PlannerInput, ReportPlan

INSTRUCTIONS = """\
You plan a research report. You are given the question, the sources that will be searched and a few passages that a \
first search found in them. Colleagues will research every section at the same time, each without seeing the others.

- A section has a short plain title and one key question. The key question must be understood alone: repeat the \
subject's name in it, never write "it" or "the above", and refer to no other section.
- Together the sections answer the question, all of it and nothing beside it. Parts that the question names come \
first, in its order; then what a reader needs to understand or to use the answer.
- No two sections may ask the same in other words. Leave out introductions, conclusions and summaries; those are \
written from the sections.
- Plan what the sources can answer: the passages show what they are like. Where they say nothing on a part that the \
question names, plan its section nonetheless, so that its absence is found and reported.
- Take as few sections as do the work, and never more than `max_sections`.
- Background context: a few sentences that every colleague should know, from the passages and the given background \
alone; empty if there is nothing to say.
- Report title: what the report is about, without "report" in it.

Heed the envelope's `instructions` on length and form. Write in the language of the question.
"""

agent = Agent(name="planner", output_type=ReportPlan, instructions=INSTRUCTIONS, retries=2)


def show(given: PlannerInput, loaded: Loaded) -> str:
    """The user prompt: the question, what a first search found, and how many sections there may be."""
    task = loaded.envelope("planner", given).model_copy(
        update={
            "instructions": given.instructions,
            "sources": loaded.sources,
            "max_sections": given.max_sections,
        }
    )
    return prompt("Plan the report for the question in this task envelope.", task)
