"""The thinking agent: where the research stands and where it should go; never a draft of the answer."""

from typing import Final

from pydantic import Field

from elcano.graphs.agents.context import ResearchContext, build_research_task, needs_of, passages_of, turn_of
from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, TaskEnvelope
from elcano.graphs.agents.prompt_texts import STATING
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.state.plan import normalize_criteria
from elcano.graphs.text import ensure_list


class ThinkingOutput(Frozen):
    """Where the research stands and where it should go; never a draft of the answer."""

    thought: str = Field(
        min_length=1,
        max_length=4_000,
        description="A short reflection: what is known, what contradicts, what to look at next.",
    )
    criteria: tuple[str, ...] = Field(
        default=(), description="One to four criteria of a good answer; only if the envelope has none."
    )


INSTRUCTIONS: Final = f"""\
You reflect on a piece of research that is under way, for the colleagues who look for what is missing and search for \
it. They read your thought beside the passages.

In a few sentences:
- what the passages establish already, naming them by their keys;
- where they contradict each other, and which of them you would trust and why;
- which part of the question nothing speaks to yet, and where that might be found;
- which searches brought nothing, so that nobody repeats them.

If the envelope has no `criteria`, say them. {STATING}

You neither answer the question nor draft the report.
"""


def build_task(given: ResearchContext, loaded: Loaded) -> TaskEnvelope:
    """The research so far."""
    return build_research_task("thinking", given, loaded)


def describe_start(given: JsonObject) -> str:
    """Where in the research it reflects."""
    return f"where to look, {turn_of(given)}, {passages_of(given)} so far"


def summarize_thought(output: JsonObject) -> tuple[str, JsonObject]:
    """The thought, and the criteria if it said any."""
    criteria = normalize_criteria(str(one) for one in ensure_list(output.get("criteria")))
    return f"Thought: {output.get('thought', '')}", {"criteria": [*criteria]} if criteria else {}


AGENT: Final[AgentDefinition] = AgentDefinition(
    name="thinking",
    description="Reflects on what is known and where to look next.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Reflect on the state of the research described in this task envelope.",
        answer=ThinkingOutput,
        shown=build_task,
    ),
    input=ResearchContext,
    output=ThinkingOutput,
    starts="thinking",
    completes="thinking",
    output_tokens=500,
    evidence_tokens=4_000,
    needs=needs_of,
    begins=describe_start,
    summary=summarize_thought,
)
