"""The tool selector agent: which searches close a gap, and by which tool.

A source is searched by words; `page` and `crawl`, where a run has them, by an address; and what the run has found is a
place to look as well, once there is more of it than an agent is shown at a time.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from elcano.graphs.agents.context import ResearchContext, build_research_task, for_gap, needs_of
from elcano.graphs.agents.definition import AgentDefinition, Question
from elcano.graphs.agents.envelope import Loaded, Needs, OfferedSource, TaskEnvelope
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.state.state import RELATED
from elcano.graphs.text import ensure_list, format_count

MOST_TASKS: Final = 8


class ToolSelectorInput(ResearchContext):
    """The selector knows the gap to close and the sources it may name."""

    gap: str = ""
    """Null or empty: the question itself."""
    sources: tuple[str, ...] = ()
    suggested_queries: tuple[str, ...] = ()
    """What the judge of the last iteration would search."""


class AgentTask(Frozen):
    """One search to make."""

    source: str = Field(description="The name of one of the given sources.")
    query: str = Field(
        min_length=1, max_length=300, description="Three to eight words to search for, or what its source asks for."
    )
    gap: str = Field(default="", max_length=500, description="The gap that it closes.")


class AgentSelectionPlan(Frozen):
    """The searches of one iteration; all of them run at once."""

    tasks: tuple[AgentTask, ...] = Field(default=(), max_length=MOST_TASKS)
    whole: SkipJsonSchema[bool] = False
    """Whoever planned has weighed all that was suggested, as the extractive model does; no model is told of it."""


SEEN_AT_ONCE: Final = 16
"""Passages, of some 900 characters: what the agents of a research loop are shown at least. Of more they see a part."""
FOUND: Final = OfferedSource(
    name=RELATED, description="What this research has found so far, whichever source it is from. Query: plain words."
)

INSTRUCTIONS: Final = """\
You plan the next searches of a piece of research: one to four that together close the `gap`.

- Name one of the `sources` exactly as it is written; prefer the one whose description fits, and the one that reports \
at first hand.
- A query is three to eight words as the sought text itself would use them, in its language: proper names and \
technical terms, no question words, no whole sentences, no operators unless the source's description names some. What \
shall be recent needs the year in its query.
- Where a source's query is an address, take one from the question, its background or `pages`, word for word; never \
make one up.
- `this run`, where it is among the sources, is what was found already. Search it where the answer to the gap may be \
among that: what it brings back is shown first from then on. It finds nothing new.
- No search repeats another one, nor one of the `conversation`; where one of those brought nothing, try other words \
for the same thing.
- Of `suggested_queries` take all that serve the gap.
- Copy the gap that a search is meant to close into its `gap` field.

If no search is left that could bring anything new, plan none.
"""


def list_needs(given: ToolSelectorInput) -> Needs:
    """The sources that may be named, described."""
    return needs_of(given, offered=given.sources, searched=given.sources)


def build_task(given: ToolSelectorInput, loaded: Loaded) -> TaskEnvelope:
    """The gap, the sources that may be named, the searches so far; no passages."""
    return build_research_task("tool_selector", given, loaded).model_copy(
        update={
            "gap": given.gap or given.question,
            "criteria": (),  # the gap says what is missing
            "sources": (*loaded.sources, *((FOUND,) if len(given.shown) > SEEN_AT_ONCE else ())),
            "pages": loaded.pages,
            "suggested_queries": given.suggested_queries,
        }
    )


def resolve_answer(said: AgentSelectionPlan, given: ToolSelectorInput, ids: Mapping[str, str]) -> AgentSelectionPlan:
    """Add to the plan the judge's suggested queries that have not been searched, for the source that was chosen most.

    Without a choice it is the first one. Of a full plan nothing is left out for it.
    """
    made = {_normalize_query_words(call.query) for turn in given.conversation for call in turn.tool_calls}
    made |= {_normalize_query_words(task.query) for task in said.tasks}
    left = {_normalize_query_words(query): query for query in given.suggested_queries if _normalize_query_words(query)}
    named = Counter(task.source for task in said.tasks if task.source in given.sources)
    source = next((name for name, _ in named.most_common(1)), next(iter(given.sources), ""))
    if said.whole or not source:
        return said
    added = (
        AgentTask(source=source, query=query[:300], gap=given.gap[:500])
        for words, query in left.items()
        if words not in made
    )
    return said.model_copy(update={"tasks": (*said.tasks, *added)[:MOST_TASKS]})


def _normalize_query_words(query: str) -> frozenset[str]:
    """Normalize a query for comparison, regardless of the order of its words."""
    return frozenset(query.casefold().split())


def describe_start(given: JsonObject) -> str:
    """The gap that it wants to close."""
    return f"searches{for_gap(given)}"


def summarize_selection(output: JsonObject) -> tuple[str, JsonObject]:
    """Summarize how many searches were chosen; each is reported when it is made."""
    tasks = [task for task in ensure_list(output.get("tasks")) if isinstance(task, dict)]
    chosen: list[Json] = [*dict.fromkeys(str(task.get("query")) for task in tasks)]
    text = f"{format_count(len(chosen), 'search', 'searches')} chosen" if chosen else "No search left to make"
    return text, {"queries": chosen}


AGENT: Final[AgentDefinition] = AgentDefinition(
    name="tool_selector",
    description="Chooses the searches that close a gap.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Plan the searches for the gap in this task envelope.",
        answer=AgentSelectionPlan,
        shown=build_task,
        passages=False,
    ),
    input=ToolSelectorInput,
    output=AgentSelectionPlan,
    starts="thinking",
    completes="thinking",
    output_tokens=400,
    needs=list_needs,
    settled=resolve_answer,
    begins=describe_start,
    summary=summarize_selection,
)
