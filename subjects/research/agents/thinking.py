"""The thinking agent: where the research stands, what is missing, what to search; never a draft of the answer.

Gaps and searches follow from the thought, so it is asked for all three in one call. Where an answer has the thought
alone, as that of the extractive model, the graph asks the agents `knowledge_gap` and `tool_selector` for the rest. The
former, which decides whether the question is answered and, if not, what is missing, is here too.
"""

from collections.abc import Mapping
from operator import not_
from typing import Final

from pydantic import Field

from elcano.graphs.agents.definition import AgentDefinition, Part, Question
from elcano.graphs.agents.digests import DIGEST_CHARACTERS, DIGESTED, digest_passages
from elcano.graphs.agents.envelope import Loaded, Needs, TaskEnvelope
from elcano.graphs.agents.prompt_texts import BESIDE, CONTRADICTIONS, NAMING
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.state.plan import Contradiction, normalize_criteria, resolve_contradictions
from elcano.graphs.text import ensure_list
from elcano.subjects.research.agents.loop_context import (
    ResearchContext,
    build_research_task,
    lacks_criteria,
    needs_of,
    passages_of,
    resolve_beside,
    turn_of,
)
from elcano.subjects.research.agents.tool_selector import (
    QUERIES,
    SEARCH_PARTS,
    AgentTask,
    complete_tasks,
    offer_sources,
)


class KnowledgeGapInput(ResearchContext):
    """The gap agent also knows how much of the loop is left."""

    max_iterations: int = 5


class KnowledgeGapOutput(Frozen):
    """The agent's verdict: whether the question is answered, and if not, what is missing."""

    research_complete: bool = Field(description="True only if the evidence answers the whole question.")
    outstanding_gaps: tuple[str, ...] = Field(
        default=(),
        description="What is still missing, most important first; empty if complete.",
    )


MOST_GAPS: Final = 5
GAPS: Final = """\
- Outstanding gaps, unless it is complete: at most five, the most important first, one for each criterion or part of \
the question without a passage: a short phrase to look up, with the subject's proper names, reworded if a search for \
it failed. In the last of `max_iterations` only those without which there is no answer."""

GAP_INSTRUCTIONS: Final = f"""\
You decide whether a piece of research has found what it needs, and name what is missing. Only passages count, not \
what you know yourself.

- Research complete: the envelope's `criteria` are those that are not met yet; take the question apart into what else \
it asks for. It is complete if a passage answers each part and every criterion is met.
{GAPS}
"""


def build_gap_task(given: KnowledgeGapInput, loaded: Loaded) -> TaskEnvelope:
    """The research so far, which criteria are not met, and how much of the loop is left."""
    task = build_research_task("knowledge_gap", given, loaded)
    unmet = tuple(criterion for criterion in task.criteria if not criterion.met)
    return task.model_copy(update={"max_iterations": given.max_iterations, "criteria": unmet})


def summarize_gaps(output: JsonObject) -> tuple[str, JsonObject]:
    """Summarize the gaps."""
    gaps = ensure_list(output.get("outstanding_gaps"))
    text = (
        "No gap is left to search for" if output.get("research_complete") else f"Missing: {'; '.join(map(str, gaps))}"
    )
    return text, {"complete": bool(output.get("research_complete")), "gaps": gaps}


KNOWLEDGE_GAP: Final[AgentDefinition] = AgentDefinition(
    name="knowledge_gap",
    description="Says whether the question is answered and what is still missing.",
    asks=Question(
        instructions=GAP_INSTRUCTIONS,
        request="Say what the research described in this task envelope still lacks.",
        answer=KnowledgeGapOutput,
        shown=build_gap_task,
    ),
    input=KnowledgeGapInput,
    output=KnowledgeGapOutput,
    starts="judging",
    completes="judge_complete",
    output_tokens=400,
    evidence_tokens=6_000,
    needs=needs_of,
    begins=lambda given: f"reading {passages_of(given)} for what is still missing, {turn_of(given)}",
    summary=summarize_gaps,
)


class ThinkingInput(ResearchContext):
    """The research so far, what can be searched, and how much of the loop is left."""

    sources: tuple[str, ...] = ()
    """Empty: the agent chooses no searches."""
    suggested_queries: tuple[str, ...] = ()
    """Searches that the judge of the last iteration suggests."""
    max_iterations: int | None = None


class ThinkingOutput(Frozen):
    """Where the research stands and where it should go."""

    thought: str = Field(min_length=1, max_length=4_000)
    research_complete: bool | None = Field(
        default=None,
        exclude_if=lambda complete: complete is None,
    )
    outstanding_gaps: tuple[str, ...] = Field(default=(), exclude_if=not_)
    tasks: tuple[AgentTask, ...] = Field(default=(), exclude_if=not_)
    beside: tuple[str, ...] = Field(default=(), exclude_if=not_)
    contradictions: tuple[Contradiction, ...] = Field(default=(), exclude_if=not_)
    criteria: tuple[str, ...] = Field(default=(), description="Only if the envelope has none.")


INSTRUCTIONS: Final = f"""\
You lead a piece of research: say where it stands, what is missing and what to search next. Neither answer the \
question nor draft the report.

- Thought, at most 80 words: first what the next searches should find, and how a source would word it; then what the \
passages establish and which you would trust, by their keys.
- Research complete: a passage answers each of `criteria` and each part of the question. Your own knowledge does not \
count.
{GAPS}
- Tasks, unless it is complete: one or two searches for each gap, eight at most, all made now; `closes` is its number, \
from 1.
{QUERIES}
{BESIDE}
{CONTRADICTIONS}
{DIGESTED}"""


def list_needs(given: ThinkingInput) -> Needs:
    """The passages found so far, and the sources that may be named, described."""
    return needs_of(given, offered=given.sources, searched=given.sources, digest=DIGEST_CHARACTERS)


def build_task(given: ThinkingInput, loaded: Loaded) -> TaskEnvelope:
    """The research so far, what can be searched, and how much of the loop is left."""
    task = digest_passages(build_research_task("thinking", given, loaded))
    return task.model_copy(
        update={
            "max_iterations": given.max_iterations,
            "sources": offer_sources(given, loaded),
            "pages": loaded.pages,
            "suggested_queries": given.suggested_queries,
        }
    )


def resolve_answer(said: ThinkingOutput, given: ThinkingInput, ids: Mapping[str, str]) -> ThinkingOutput:
    """Return the answer with ids for keys, and with a search for every gap that it names."""
    said = said.model_copy(
        update={
            "beside": resolve_beside(said.beside, ids, given),
            "contradictions": resolve_contradictions(said.contradictions, ids),
        }
    )
    if said.research_complete is None:
        return said
    gaps = tuple(dict.fromkeys(filter(None, (" ".join(gap.split()) for gap in said.outstanding_gaps))))[:MOST_GAPS]
    if said.research_complete:
        return said.model_copy(update={"outstanding_gaps": (), "tasks": ()})
    tasks = complete_tasks(
        said.tasks, gaps or (given.question,), given.sources, given.conversation, given.suggested_queries
    )
    return said.model_copy(update={"outstanding_gaps": gaps, "tasks": tasks})


def summarize_thought(output: JsonObject) -> tuple[str, JsonObject]:
    """The thought, and the gaps, searches and criteria if it named any."""
    criteria = normalize_criteria(str(one) for one in ensure_list(output.get("criteria")))
    data: JsonObject = {"criteria": [*criteria]} if criteria else {}
    if output.get("research_complete") is not None:
        data["complete"] = output["research_complete"]
        data["gaps"] = ensure_list(output.get("outstanding_gaps"))
    return f"Thought: {output.get('thought', '')}", data


AGENT: Final[AgentDefinition] = AgentDefinition(
    name="thinking",
    description="Says where the research stands, what is missing and what to search next.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Say where the research in this task envelope stands, what is missing, and what to search.",
        answer=ThinkingOutput,
        shown=build_task,
        ranks=False,
        parts=(*SEARCH_PARTS, Part(NAMING, lacks_criteria)),
    ),
    input=ThinkingInput,
    output=ThinkingOutput,
    starts="thinking",
    completes="thinking",
    output_tokens=800,
    evidence_tokens=6_000,
    needs=list_needs,
    settled=resolve_answer,
    begins=lambda given: f"reading {passages_of(given)} to see where to look, {turn_of(given)}",
    summary=summarize_thought,
)
