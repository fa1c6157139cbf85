"""The tool selector agent: which searches close a gap."""

from pydantic_ai import Agent

from elcano.activities.agents.envelope import prompt
from elcano.activities.agents.loaded import Loaded
from elcano.graphs.catalogue.agents import AgentSelectionPlan, ToolSelectorInput

INSTRUCTIONS = """\
You plan the next searches of a piece of research. You are given the question, the gap to close, the sources that can \
be searched and every search that was made so far.

Choose one to four searches that together close the gap:
- name one of the given sources exactly as it is written; prefer the one whose description fits;
- a query is three to eight words as the sought text itself would use them: proper names and technical terms, no \
question words, no whole sentences, no operators;
- make the searches different from one another, and from every search that was made already; where one of those \
brought nothing, try other words for the same thing;
- use the suggested queries where they serve the gap;
- copy the gap that a search is meant to close into its `gap` field.

If no search is left that could bring anything new, plan none.
"""

agent = Agent(name="tool_selector", output_type=AgentSelectionPlan, instructions=INSTRUCTIONS, retries=2)


def show(given: ToolSelectorInput, loaded: Loaded) -> str:
    """The user prompt: the gap, the sources that may be named, the searches so far; no passages."""
    task = loaded.envelope("tool_selector", given).model_copy(
        update={
            "gap": given.gap or given.question,
            "sources": loaded.sources,
            "suggested_queries": given.suggested_queries,
        }
    )
    return prompt("Plan the searches for the gap in this task envelope.", task)
