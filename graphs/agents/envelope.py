"""The task of an agent: what is loaded for it, the envelope that it is put into, and the prompt that ends with that.

A prompt is a short readable text that ends with exactly one fenced JSON envelope. A language model and the extractive
model read the same envelope, so they differ in nothing but how they answer. What stays the same from call to call of
one agent is first, what grows comes next and what changes last: a provider that keeps the beginnings of prompts
reads them once. Whatever was fetched is inside JSON strings inside the fence: no line of it can begin outside, and the
fence is longer than any run of backticks within. It is data; the prompt says so, and no agent has a tool to misuse.
"""

import json
import re
from itertools import pairwise
from typing import Final

from elcano.graphs.agents.prompt_texts import DATA_NOT_INSTRUCTIONS, GUIDANCE, HISTORY, ShownForm, render_form_guidance
from elcano.graphs.catalogue.agents import AgentInput
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.report.report import Claim
from elcano.graphs.state.plan import Contradiction, SectionResult
from elcano.graphs.state.state import HistoryEntry, IterationData

THE_QUESTION: Final = "(the question)"
"""A query in a prompt that is the question itself."""
_SAME_WORK: Final = "as "
"""Begins the title, in a prompt, of a passage of the work that an earlier one is of; its key follows."""


class EvidenceItem(Frozen):
    """One passage as a model sees it, under a short key instead of its canonical id."""

    key: str
    title: str
    heading: str = ""
    """Empty where the title says the same."""
    locator: str = ""
    """Its place in the document, for the extractive model alone."""
    source: str = ""
    """Its source and the kind of that, `pubmed (articles)`; a prompt leaves out that of the passage above."""
    about: str = ""
    """The work that it is of, in a few words: date, kind, and whether it is a preprint or was retracted."""
    text: str = ""
    """Empty where all that matters of it is quoted elsewhere in the envelope."""


class PastSearch(Frozen):
    """One search that was made."""

    source: str
    query: str
    found: int
    new: int
    failed: bool = False


class PastIteration(Frozen):
    """The digest of one turn of the loop."""

    number: int
    thought: str = ""
    gaps: tuple[str, ...] = ()
    searches: tuple[PastSearch, ...] = ()
    judgement: str = ""


class OfferedSource(Frozen):
    """A source that may be searched."""

    name: str
    description: str = ""


class CriterionItem(Frozen):
    """One criterion of the answer, and whether it is met."""

    number: int
    text: str
    met: bool | None = None
    """None: not judged yet."""
    evidence: tuple[str, ...] = ()
    """Keys of the passages shown that meet it."""


class OutlineItem(Frozen):
    """One section of the plan, as shown to the writer of another section."""

    title: str
    key_question: str = ""
    missing: bool = False
    """Whether nothing of it was found."""


class SectionItem(Frozen):
    """One section of a report: the draft of its research, or the text written so far."""

    title: str
    key_question: str = ""
    claims: tuple[Claim, ...] = ()
    """The answer to its question first. Their citations name passages by key."""
    left_out: int = 0
    """Claims that did not fit into the prompt."""
    part: str = ""
    """Which part of the section this is, as `2 of 3`; empty: all of it."""
    criteria: tuple[CriterionItem, ...] = ()
    """Its criteria, with the keys of the passages that meet them; of a section without a draft."""
    notes: tuple[str, ...] = ()
    """The last judgement of its research on the passages; of a section without a draft."""
    contradictions: tuple[Contradiction, ...] = ()
    """Disagreements among its passages, with keys; of a section without a draft."""
    limitations: tuple[str, ...] = ()
    missing: str = ""
    """Why there is nothing of it."""


class TaskEnvelope(Frozen):
    """One task for one agent, self-contained: the model needs to know nothing else."""

    kind: str
    """The agent's name in the catalogue; of an agent that calls its model for several things, the name of the thing."""
    today: str = ""
    """The day in UTC on which the run began, as `2026-11-22`; empty if unknown."""
    language: str = ""
    """The question's, by its English name; empty if it is not known."""
    background: str = ""
    question: str
    title: str = ""
    """The title of the section, for an agent that writes a section as a report of its own."""
    form: ShownForm = ""
    """The form of the report, for agents that plan or write one; its requirements are above the envelope."""
    instructions: str = ""
    sources: tuple[OfferedSource, ...] = ()
    pages: tuple[str, ...] = ()
    """Addresses of pages that were found, the latest last, where a source wants one."""
    history: tuple[HistoryEntry, ...] = ()
    """Earlier questions and answers, the oldest first; their meaning is explained above the envelope."""
    max_sections: int | None = None
    max_iterations: int | None = None
    outline: tuple[OutlineItem, ...] = ()
    """The sections of the whole report, in their order, for the writer of one of them."""
    written: tuple[SectionItem, ...] = ()
    """The report so far, as much of it as fits."""
    uncited: tuple[EvidenceItem, ...] = ()
    """Passages that drafts cite and the written sections do not, without their texts."""
    sections: tuple[SectionItem, ...] = ()
    """The drafts to join, in the order of the plan."""
    evidence: tuple[EvidenceItem, ...] = ()
    evidence_left_out: int = 0
    """Passages that did not fit into the prompt."""
    conversation: tuple[PastIteration, ...] = ()
    guidance: tuple[str, ...] = ()
    """The user's instructions during the research, the latest last."""
    criteria: tuple[CriterionItem, ...] = ()
    """The criteria of the answer, as far as they are known."""
    contradictions: tuple[Contradiction, ...] = ()
    """Disagreements found among the passages shown, with keys."""
    iteration: int = 1
    gap: str = ""
    gaps: tuple[str, ...] = ()
    """Gaps to search for, numbered from 1 in this order."""
    suggested_queries: tuple[str, ...] = ()
    new_evidence: int | None = None
    """Number of passages that this iteration added."""
    term_weights: dict[str, float] = {}
    """Weights of the question's words in the sources: inverse document frequencies."""
    given: JsonObject = {}
    """Further inputs of this agent, by name, if the fields above do not suffice."""


def render_task_prompt(task: str, shown: TaskEnvelope) -> str:
    """The user prompt: the task in a sentence, the warning about data, the report's form, then the envelope."""
    body = render_envelope(shown)
    longest = max((len(run) for run in re.findall(r"`+", body)), default=0)
    fence = "`" * max(3, longest + 1)
    parts = [task, DATA_NOT_INSTRUCTIONS, render_form_guidance(shown.form), GUIDANCE if shown.guidance else ""]
    parts += [HISTORY] if shown.history else []
    above = "\n\n".join(filter(None, parts))
    return f"{above}\n\n{fence}json\n{body}\n{fence}"


def render_envelope(shown: TaskEnvelope) -> str:
    """The envelope as a prompt has it between its fences: a line for each field and for each item of its lists.

    What an item says that another has said is left out; `parse_envelope` puts it back.
    """
    fields = shown.model_dump(mode="json", exclude_defaults=True)
    for above, item in reversed(list(pairwise(fields.get("evidence", ())))):
        if item.get("source") == above.get("source"):
            item.pop("source", None)
    named = dict[tuple[str, str], str]()
    for item in fields.get("evidence", ()):
        if (key := named.setdefault((item["title"], item.get("about", "")), item["key"])) != item["key"]:
            item["title"] = f"{_SAME_WORK}{key}"
            item.pop("about", None)
    for turn in fields.get("conversation", ()):
        for search in turn.get("searches", ()):
            search["query"] = THE_QUESTION if search["query"] == shown.question else search["query"]
    lines = (f" {_render_json(name)}: {_render_items(value)}" for name, value in fields.items())
    return "{\n" + ",\n".join(lines) + "\n}"


def _render_items(value: Json) -> str:
    if not isinstance(value, list) or not value:
        return _render_json(value)
    return "[\n" + ",\n".join(map(_render_json, value)) + "\n ]"


def _render_json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def parse_envelope(text: str) -> TaskEnvelope | None:
    """The envelope at the end of a prompt; None if there is none.

    Raises:
        pydantic.ValidationError: there is a fence at the end, but no envelope in it.
    """
    head, _, fence = text.rpartition("\n")
    if set(fence) != {"`"} or len(fence) < 3:
        return None
    _, opening, body = head.rpartition(f"\n{fence}json\n")
    return _restore_repetitions(TaskEnvelope.model_validate_json(body)) if opening else None


def _restore_repetitions(task: TaskEnvelope) -> TaskEnvelope:
    """`task` with the sources, works and queries that are not repeated in a prompt."""
    items, works, source = list[EvidenceItem](), dict[str, JsonObject](), ""
    for item in task.evidence:
        source = item.source or source
        work = works.setdefault(
            f"{_SAME_WORK}{item.key}", works.get(item.title, {"title": item.title, "about": item.about})
        )
        items.append(item.model_copy(update={"source": source, **work}))
    turns = list[PastIteration]()
    for turn in task.conversation:
        asked = (task.question if one.query == THE_QUESTION else one.query for one in turn.searches)
        searches = (one.model_copy(update={"query": query}) for one, query in zip(turn.searches, asked, strict=True))
        turns.append(turn.model_copy(update={"searches": tuple(searches)}))
    return task.model_copy(update={"evidence": tuple(items), "conversation": tuple(turns)})


class Needs(Frozen):
    """The data to load for one call."""

    evidence: tuple[str, ...] = ()
    """Ids of the passages to show. For who joins sections: of those that their drafts may cite."""
    conversation: tuple[IterationData, ...] = ()
    """The turns whose searches share the room that there is for passages."""
    offered: tuple[str, ...] = ()
    """Sources to describe: those among which it chooses, or for which it plans."""
    sections: tuple[SectionResult, ...] = ()
    """Sections whose drafts it joins."""
    weighed: str = ""
    """A text whose words the extractive model wants weighed: the question."""
    first: tuple[str, ...] = ()
    """Ids of the passages that are shown before any other, as those that meet a criterion are."""
    digest: int = 0
    """Characters of a passage's text that its agent shows; 0: all."""
    searched: tuple[str, ...] = ()
    """Sources to weigh them by, besides those of the conversation and the passages."""
    more: JsonObject = {}
    """The input of the agent's own `loader`; empty: it loads nothing."""
    tables: tuple[str, ...] = ()
    """Databases whose tables that may fit the text in `weighed` are listed."""


class ShownPassages(Frozen):
    """The passages that a model is shown."""

    items: tuple[EvidenceItem, ...] = ()
    ids: dict[str, str] = {}
    """Canonical evidence id by key."""
    left_out: int = 0
    """Passages that did not fit."""
    order: tuple[str, ...] = ()
    """The keys, of those that matter most first: should still less fit."""

    def only(self, items: tuple[EvidenceItem, ...]) -> "ShownPassages":
        """The passages of `items` alone: those that a model was shown in the end."""
        ids = {item.key: self.ids[item.key] for item in items if item.key in self.ids}
        return self.model_copy(update={"items": items, "ids": ids})


class Drafts(Frozen):
    """The drafts of the sections."""

    sections: tuple[SectionItem, ...] = ()
    """The sections in the order of the plan; one without claims says why."""
    shown: ShownPassages = ShownPassages()
    """The passages that the claims cite, and the best that they do not, without their texts."""
    passages: tuple[tuple[EvidenceItem, ...], ...] = ()
    """Passages of each section with their texts: those that its draft cites first, then the best that it does not."""
    wishes: tuple[str, ...] = ()
    """The user's wishes for each section; empty where they were not divided."""
    forms: tuple[ShownForm, ...] = ()
    """The form of each section; empty where none was planned."""
    related: tuple[str, ...] = ()
    """Ids of passages worth reading that no claim cites."""
    nearest: tuple[str, ...] = ()
    """Ids of the passages that come nearest to what was asked, for a report without an answer."""
    quoted: bool = True
    """Whether the drafts are literal quotations."""


class Loaded(Frozen):
    """Passages, sources, the drafts of sections and word weights."""

    shown: ShownPassages = ShownPassages()
    sources: tuple[OfferedSource, ...] = ()
    pages: tuple[str, ...] = ()
    """The addresses of the needed passages, the latest last, if one of `sources` is queried by address."""
    drafts: Drafts = Drafts()
    section: SectionItem = SectionItem(title="")
    """The draft that is to be written out now, by an agent that writes section by section."""
    written: tuple[SectionItem, ...] = ()
    """The report so far, of such an agent."""
    place: int = 0
    """The number of the section that is to be written out now, from 0."""
    passages_room: int = 0
    """Tokens that its passages may take in the prompt, whole texts alone."""
    more: JsonObject = {}
    """The result of the agent's own `loader`."""
    tables: dict[str, JsonObject] = {}
    """By the name of the database: names alone, without values."""
    saved_questions: dict[str, tuple[str, ...]] = {}
    """Saved questions similar to the question, by database; only for the extractive model."""
    unread: dict[str, str] = {}
    """Databases that could not be read, and why."""
    term_weights: dict[str, float] = {}
    offline: bool = False
    """Whether the extractive model may answer: it counts the words of all texts, and pays for nothing."""
    today: str = ""
    """The day on which the run began; empty if unknown."""
    history: tuple[HistoryEntry, ...] = ()
    """Earlier questions and answers."""
    room: int | None = None
    """Tokens that drafts may take in the prompt, so that the answer can be paid for too; None: not limited."""

    def envelope(self, kind: str, given: AgentInput) -> TaskEnvelope:
        """Build the envelope of a task `kind`, to which an agent adds its own fields."""
        return TaskEnvelope(
            kind=kind,
            question=given.question,
            background=given.background,
            today=self.today,
            language=given.language,
            history=self.history,
            guidance=given.guidance,
            evidence=self.shown.items,
            evidence_left_out=self.shown.left_out,
            term_weights=self.term_weights,
        )
