"""Shared by the agents of a research loop: their input, how it is shown, and how it is named in events."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from elcano.graphs.agents.envelope import (
    CriterionItem,
    Loaded,
    Needs,
    PastIteration,
    PastSearch,
    TaskEnvelope,
)
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.plan import (
    Contradiction,
    Criterion,
    ReportForm,
    SectionResult,
    resolve_contradictions,
)
from elcano.graphs.state.state import IterationData
from elcano.graphs.text import ensure_list, format_count, shorten_text

THOUGHT_CHARACTERS: Final = 500
"""Characters of an earlier thought or judgement that are shown again: the passages matter more."""


LEAST_SHOWN: Final = 3
"""Passages that are shown even if all are off topic."""


class ResearchContext(AgentInput):
    """The input of every agent of a research loop."""

    iteration: int = 1
    conversation: tuple[IterationData, ...] = ()
    """The iterations so far; agents show the model a digest of them."""
    criteria: tuple[Criterion, ...] = ()
    """The criteria of the answer, as far as they are known, and whether they are met."""
    evidence: tuple[str, ...] = ()
    """Ids of the evidence to show; empty: what the iterations found, which need not be named twice."""

    @property
    def contradictions(self) -> tuple[Contradiction, ...]:
        """Return the contradictions that iterations found among the passages."""
        return tuple(one for turn in self.conversation for one in turn.contradictions)

    @property
    def shown(self) -> tuple[str, ...]:
        """Ids of the evidence that the agent is shown: without what was found off topic.

        If all of it was, the first few are shown all the same: a report without an answer names the nearest.
        """
        found = self.evidence or tuple(found for turn in self.conversation for found in turn.findings)
        beside = {id for turn in self.conversation for id in turn.beside}
        return tuple(id for id in found if id not in beside) or found[:LEAST_SHOWN]


def needs_of(
    given: ResearchContext, offered: Iterable[str] = (), searched: Iterable[str] = (), digest: int = 0
) -> Needs:
    """Return the data to load: the passages found so far, and the sources offered or possibly searched."""
    return Needs(
        evidence=given.shown,
        first=tuple(id for criterion in given.criteria for id in criterion.evidence),
        conversation=given.conversation,
        offered=tuple(offered),
        weighed=given.question,
        searched=tuple(searched),
        digest=digest,
    )


def build_research_task(kind: str, given: ResearchContext, loaded: Loaded) -> TaskEnvelope:
    """Build the envelope of an agent in the loop: the research so far. The agent adds its own part."""
    turns = tuple(_digest_iteration(turn) for turn in given.conversation)
    criteria = number_criteria(given.criteria, loaded)
    task = loaded.envelope(kind, given)
    return task.model_copy(
        update={
            "iteration": given.iteration,
            "conversation": turns,
            "criteria": criteria,
            "contradictions": resolve_contradictions(
                given.contradictions, {id: key for key, id in loaded.shown.ids.items()}
            ),
        }
    )


def number_criteria(criteria: Sequence[Criterion], loaded: Loaded) -> tuple[CriterionItem, ...]:
    """Criteria as a model is shown them, with the keys of the passages that meet them, if these are shown."""
    keys = {id: key for key, id in loaded.shown.ids.items()}
    return tuple(
        CriterionItem(
            number=number,
            text=criterion.text,
            met=criterion.met,
            evidence=tuple(keys[id] for id in criterion.evidence if id in keys),
        )
        for number, criterion in enumerate(criteria, start=1)
    )


def lacks_criteria(task: TaskEnvelope) -> bool:
    """Whether the criteria of the answer are still unknown."""
    return not task.criteria


def resolve_beside(
    keys: Iterable[str], ids: Mapping[str, str], given: ResearchContext, meeting: Iterable[str] = ()
) -> tuple[str, ...]:
    """Ids of the passages whose `keys` an agent found off topic; keys that it was not shown name nothing.

    What meets a criterion, as was known before or by `meeting`, is never off topic.
    """
    kept = {*meeting, *(id for criterion in given.criteria if criterion.met for id in criterion.evidence)}
    return tuple(dict.fromkeys(ids[key] for key in keys if key in ids and ids[key] not in kept))


def turn_of(given: JsonObject) -> str:
    """Return the number of the turn of the loop, in words."""
    most = given.get("max_iterations")
    return f"iteration {given.get('iteration', 1)}" + (f" of at most {most}" if most else "")


def passages_of(given: JsonObject) -> str:
    """Count the passages that the agent can see: those in its input, and those found in earlier turns."""
    beside = set[str]()
    seen = {str(id) for id in ensure_list(given.get("evidence"))}
    for turn in ensure_list(given.get("conversation")):
        if isinstance(turn, dict):
            seen.update(str(id) for id in ensure_list(turn.get("findings")))
            beside.update(str(id) for id in ensure_list(turn.get("beside")))
    seen -= beside
    return format_count(len(seen), "passage") if seen else "no passage"


def for_gap(given: JsonObject) -> str:
    """The gap that is worked on, where there is one."""
    return f" for: {given['gap']}" if given.get("gap") else ""


def _digest_iteration(turn: IterationData) -> PastIteration:
    return PastIteration(
        number=turn.number,
        thought=shorten_text(turn.thought, THOUGHT_CHARACTERS),
        gaps=tuple(shorten_text(gap, THOUGHT_CHARACTERS) for gap in turn.gaps or (turn.gap,) if gap),
        searches=tuple(
            PastSearch(
                source=call.source, query=call.query, found=call.found, new=call.new, failed=call.error is not None
            )
            for call in turn.tool_calls
        ),
        judgement=shorten_text(turn.judgement, THOUGHT_CHARACTERS),
    )


class WriterInput(ResearchContext):
    """The writer may use only the evidence it is given here."""

    instructions: str = ""
    """Wishes of the person who asked: length, tone, form."""
    form: ReportForm | Literal[""] = ""
    """Form of the report; empty: the writer chooses."""
    sources: tuple[str, ...] = ()
    review: bool = False
    """Whether the reviewer reads what it wrote."""
    title: str = ""
    """Title of the section of a longer report; empty: it writes a whole report."""


def drafted_before(question: str, draft: str) -> tuple[SectionResult, ...]:
    """The team's draft as a section that can be loaded; none if there is no draft yet."""
    return (SectionResult(title=question, key_question=question, draft=draft),) if draft else ()
