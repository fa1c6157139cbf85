"""The tool selector agent: which searches close the gaps, and by which tool.

A source is searched by words; `page` and `crawl`, where a run has them, by an address; and what the run has found is a
place to look as well, once there is more of it than an agent is shown at a time.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import not_
from typing import Final

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from elcano.graphs.agents.definition import AgentDefinition, Part, Question
from elcano.graphs.agents.envelope import Loaded, Needs, OfferedSource, TaskEnvelope
from elcano.graphs.catalogue.sources import SOURCES
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.state.state import RELATED, IterationData
from elcano.graphs.text import ensure_list, format_count
from elcano.subjects.research.agents.loop_context import ResearchContext, build_research_task, for_gap, needs_of

MOST_TASKS: Final = 8


class ToolSelectorInput(ResearchContext):
    """The selector knows the gaps to close and the sources it may name."""

    gap: str = ""
    """The first of them; null or empty: the question itself."""
    gaps: tuple[str, ...] = ()
    """All of them; empty: the one in `gap`."""
    sources: tuple[str, ...] = ()
    suggested_queries: tuple[str, ...] = ()
    """Searches that the judge of the last iteration suggests."""


class AgentTask(Frozen):
    """One search to make."""

    source: str = Field(description="One of `sources`.")
    query: str = Field(min_length=1, max_length=300)
    closes: int = Field(default=0, exclude_if=not_)
    gap: SkipJsonSchema[str] = Field(default="", max_length=500, exclude_if=not_)
    """In older answers: the gap itself."""


class AgentSelectionPlan(Frozen):
    """The searches of one iteration; all of them run at once."""

    tasks: tuple[AgentTask, ...] = Field(default=(), max_length=MOST_TASKS)
    whole: SkipJsonSchema[bool] = False
    """Whether all suggestions were weighed, as the extractive model does; hidden from models."""


SEEN_AT_ONCE: Final = 16
"""Passages, of some 900 characters: what the agents of a research loop are shown at least. Of more they see a part."""
FOUND: Final = OfferedSource(
    name=RELATED, description="What this research has found so far, whichever source it is from. Query: plain words."
)

QUERIES: Final = """\
- A query has the words of the sought passage, in its language: four to twelve names, technical terms and their \
abbreviations, or the whole sentence that would answer; operators only if the description names some; the year if the \
answer must be recent. \
Repeat none from the `conversation`; take those of `suggested_queries` that serve a gap.\
"""
CHOOSING: Final = """\
- Name one of `sources` as it is written; prefer one whose description fits, and one that reports at first hand.
"""
BY_ADDRESS: Final = """\
- Where a source's query is an address, take one from the question, its background or `pages`, word for word; never \
make one up.
"""
LOOKING_BACK: Final = """\
- `this run` is what was found already. Search it where the answer to a gap may be among that: what it brings back is \
shown first from then on. It finds nothing new.
"""


SEARCH_PARTS: Final = (
    Part(CHOOSING, lambda task: len(task.sources) > 1),
    Part(BY_ADDRESS, lambda task: any(one.name in SOURCES and SOURCES[one.name].by_address for one in task.sources)),
    Part(LOOKING_BACK, lambda task: any(one.name == RELATED for one in task.sources)),
)
"""What is said of searches only where it applies."""

INSTRUCTIONS: Final = f"""\
You plan the next searches of a piece of research: one or two for each of the `gaps`, eight at most, all of which are \
made now. Put the number of its gap, from 1, into `closes`.

{QUERIES}

If no search is left that could bring anything new, plan none.
"""


def offer_sources(given: ResearchContext, loaded: Loaded) -> tuple[OfferedSource, ...]:
    """The sources that may be named, and what was found already once that is more than is shown at a time."""
    more = loaded.sources and len(given.shown) > SEEN_AT_ONCE
    return (*loaded.sources, *((FOUND,) if more else ()))


def list_needs(given: ToolSelectorInput) -> Needs:
    """The passages found so far, and the sources that may be named, described."""
    return needs_of(given, offered=given.sources, searched=given.sources)


def build_task(given: ToolSelectorInput, loaded: Loaded) -> TaskEnvelope:
    """The gaps, the sources that may be named, the searches so far; no passages."""
    return build_research_task("tool_selector", given, loaded).model_copy(
        update={
            "gap": given.gap or given.question,
            "gaps": list_gaps(given),
            "criteria": (),  # the gaps say what is missing
            "sources": offer_sources(given, loaded),
            "pages": loaded.pages,
            "suggested_queries": given.suggested_queries,
        }
    )


def list_gaps(given: ToolSelectorInput) -> tuple[str, ...]:
    """The gaps to close; the question itself if none was named."""
    return given.gaps or (given.gap or given.question,)


def resolve_answer(said: AgentSelectionPlan, given: ToolSelectorInput, ids: Mapping[str, str]) -> AgentSelectionPlan:
    """Return the plan with a search for each gap, and with what the judge suggested."""
    if said.whole or (not said.tasks and not given.suggested_queries):
        return said
    tasks = complete_tasks(said.tasks, list_gaps(given), given.sources, given.conversation, given.suggested_queries)
    return said.model_copy(update={"tasks": tasks})


def complete_tasks(
    tasks: Sequence[AgentTask],
    gaps: Sequence[str],
    sources: Sequence[str],
    conversation: Sequence[IterationData],
    suggested: Sequence[str] = (),
) -> tuple[AgentTask, ...]:
    """`tasks` without repetitions, with one for each of `gaps` that has none, and then with the `suggested` queries.

    What is added asks the source that was chosen most; without a choice it is the first one. A task that does not say
    which gap it closes is taken to close the first that is still open.
    """
    spelled = {normalize_source_name(name): name for name in sources}
    tasks = [
        task.model_copy(update={"source": spelled.get(normalize_source_name(task.source), task.source)})
        for task in tasks
    ]
    named = Counter(task.source for task in tasks if task.source in sources)
    source = next((name for name, _ in named.most_common(1)), next(iter(sources), ""))
    calls = [call for turn in conversation for call in turn.tool_calls if call.error is None]
    made = {(call.source, _normalize_query_words(call.query)) for call in calls}
    chosen: list[AgentTask] = []
    open_gaps = list(range(1, len(gaps) + 1))
    for task in tasks:
        if (key := (task.source, _normalize_query_words(task.query))) in made:
            continue
        made.add(key)
        chosen.append(task)
        closes = task.closes if task.closes in open_gaps else 0 if task.closes else next(iter(open_gaps), 0)
        if closes:
            open_gaps.remove(closes)
    if not source:
        return tuple(chosen[:MOST_TASKS])
    wanted = [(number, gaps[number - 1]) for number in open_gaps] + [(0, query) for query in suggested]
    chosen = chosen[: MOST_TASKS - len(open_gaps)]
    searched = {words for _, words in made}
    for number, query in wanted:
        if (words := _normalize_query_words(query)) and words not in searched:
            searched.add(words)
            chosen.append(AgentTask(source=source, query=query[:300], closes=number))
    return tuple(chosen[:MOST_TASKS])


def normalize_source_name(name: str) -> str:
    """Normalize a source's name as models write it: `Europe PMC` for `europe-pmc`, `notes (documents)` for `notes`."""
    return "-".join(name.casefold().partition(" (")[0].replace("_", " ").split())


def _normalize_query_words(query: str) -> frozenset[str]:
    """Normalize a query for comparison, regardless of the order of its words."""
    return frozenset(query.casefold().split())


def summarize_selection(output: JsonObject) -> tuple[str, JsonObject]:
    """Summarize how many searches were chosen; each is reported when it is made."""
    tasks = [task for task in ensure_list(output.get("tasks")) if isinstance(task, dict)]
    chosen: list[Json] = [*dict.fromkeys(str(task.get("query")) for task in tasks)]
    text = f"{format_count(len(chosen), 'search', 'searches')} chosen" if chosen else "No search left to make"
    return text, {"queries": chosen}


AGENT: Final[AgentDefinition] = AgentDefinition(
    name="tool_selector",
    description="Chooses the searches that close the gaps.",
    asks=Question(
        instructions=INSTRUCTIONS,
        request="Plan the searches for the gaps in this task envelope.",
        answer=AgentSelectionPlan,
        shown=build_task,
        passages=False,
        parts=SEARCH_PARTS,
    ),
    input=ToolSelectorInput,
    output=AgentSelectionPlan,
    starts="thinking",
    completes="thinking",
    output_tokens=400,
    needs=list_needs,
    settled=resolve_answer,
    begins=lambda given: f"choosing searches{for_gap(given)}",
    summary=summarize_selection,
)
