"""The state of a run: one frozen value, small enough to travel; large texts are in the store and named by id."""

from collections.abc import Iterable
from typing import Final, Literal

from pydantic import Field

from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.state.failures import NodeFailure
from elcano.graphs.state.plan import (
    ClarifyingQuestion,
    Contradiction,
    Criterion,
    ReportForm,
    SectionPlan,
    SectionResult,
)
from elcano.graphs.state.rubric import Rubric
from elcano.graphs.state.team import Hypothesis, Ledger

REASON_CHARACTERS: Final = 600
"""Maximum length of a reason shown to people."""


class Choice(Frozen):
    """The mode that a run of mode `auto` picked; empty until then."""

    mode: str = ""
    reason: str = Field(default="", max_length=REASON_CHARACTERS + 1)
    """One or two sentences, for the user."""


def format_chosen_mode(asked: str, choice: Choice) -> str:
    """Return a mode in one word: the mode asked for and, if that was left to the run, the one it chose."""
    return f"{asked}/{choice.mode}" if choice.mode and choice.mode != asked else asked


MOST_ENTRIES: Final = 6
"""Number of entries of the conversation that are kept, the latest."""


QUESTION_CHARACTERS: Final = 400


ANSWER_CHARACTERS: Final = 900


OLDER_ANSWER_CHARACTERS: Final = 300
"""Maximum length of an answer before the latest one."""


SQL_CHARACTERS: Final = 1_000


MOST_SQL: Final = 2


MOST_CITED: Final = 10
"""Ids of evidence that an entry names."""


MOST_EVIDENCE: Final = 40
"""Passages that a run takes over from the one that it follows."""


MOST_TAKEN_OVER: Final = 400
"""The same of a run that changes a report, which needs all that it cites."""


class HistoryEntry(Frozen):
    """An earlier question and its answer."""

    run_id: str
    question: str = Field(max_length=QUESTION_CHARACTERS + 1)
    answer: str = Field(default="", max_length=ANSWER_CHARACTERS + 1)
    """The beginning of its answer; empty: there was none."""
    status: str = ""
    """Final status of that run."""
    ending: str = ""
    """Why it ended early, or failed; empty if it did not."""
    sql: tuple[str, ...] = Field(default=(), max_length=MOST_SQL)
    """Its last database query."""
    evidence: tuple[str, ...] = Field(default=(), max_length=MOST_CITED)
    """Ids of the passages that its report cites first."""
    report: str = ""
    """The artifact hash of its report; empty: it has none."""


def strip_history_for_agent(history: tuple[HistoryEntry, ...]) -> tuple[HistoryEntry, ...]:
    """Return the history as agents see it, without what only programs use."""
    return tuple(one.model_copy(update={"evidence": (), "report": ""}) for one in history)


EXCERPT_CHARACTERS = 240
"""Characters of a passage that the state carries; agents read the whole passage from the store."""


class EvidenceRef(Frozen):
    """A found passage, by reference. Its text is in the evidence store under `id`."""

    id: str = Field(min_length=1, max_length=300)
    """Canonical: the same passage found twice has the same id (PMID, DOI, URL, path and hash)."""
    source: str
    """The source that was searched."""
    title: str
    locator: str
    """Location for readers: a URL, or path, page and anchor."""
    excerpt: str = Field(max_length=EXCERPT_CHARACTERS + 1)
    characters: int = Field(ge=0)
    """Length of the stored passage, for estimates."""
    document: str
    """Canonical id of the document it is a part of; passages of one document are one cited reference."""
    duplicate_of: str | None = None
    """The id of older evidence that it repeats. It is kept, and agents are shown the older one in its place."""


RELATED: Final = "this run"
"""In place of a source: the run's own findings were searched. Each passage names its source."""


class ToolCallRecord(Frozen):
    """One search and its outcome."""

    source: str
    query: str
    found: int = 0
    """Passages returned."""
    new: int = 0
    """Passages that the run did not have before."""
    refused: int = Field(default=0, exclude_if=lambda refused: not refused)
    """Passages or pages that the run's lists and egress scope refuse."""
    error: str | None = None
    """Why it failed; an error is never evidence."""
    pending: bool = False
    """Whether it is about to be made; its outcome replaces it."""
    chosen: bool = False
    """An agent chose it; others are made whatever is known."""


class IterationData(Frozen):
    """One turn of the research loop: the thought, the gap, the searches and the findings."""

    number: int = Field(ge=1)
    thought: str = ""
    gap: str = ""
    """The first of `gaps`; empty: none is left."""
    gaps: tuple[str, ...] = ()
    """Gaps, the most important first; all of it is searched for in this iteration."""
    complete: bool = False
    """Whether it was said in this iteration that nothing is missing."""
    tool_calls: tuple[ToolCallRecord, ...] = ()
    findings: tuple[str, ...] = ()
    """Ids of the evidence that this iteration added."""
    judgement: str = ""
    beside: tuple[str, ...] = ()
    """Ids of passages, of this or an earlier iteration, that were found to be off topic: agents are shown
    them no more, and they count as nothing new."""
    suggested_queries: tuple[str, ...] = ()
    """The queries that the judge suggests; the next tool selection reads them."""
    contradictions: tuple[Contradiction, ...] = ()
    """Disagreements among the passages; the report answers each."""


class ResearchState(Frozen):
    """Everything that expressions can read and reducers can change."""

    question: str
    background: str = ""
    """Context from the user, or from the plan that this run is a section of."""
    questions: tuple[ClarifyingQuestion, ...] = ()
    """Clarifying questions asked before the research began, with the answers."""
    history: tuple[HistoryEntry, ...] = ()
    """For a follow-up run: earlier questions and answers, the oldest first, only the latest ones."""
    instructions: str = ""
    """The user's wishes for the report's length, tone or form."""
    output_schema: JsonObject = {}
    """The JSON Schema of the answer that the user wants besides the report; empty: none."""
    review: bool = False
    """Whether the report's statements are read against their quotes by the reviewer."""
    guidance: tuple[str, ...] = ()
    """Instructions sent while the run was in progress, the latest last."""
    language: str = ""
    """The question's language, by its English name; empty if unknown."""
    form: ReportForm | Literal[""] = ""
    """The form of the report; empty: not specified, and the writing agent chooses."""
    criteria: tuple[Criterion, ...] = ()
    """The criteria of the answer, and whether they are met."""
    sources: tuple[str, ...] = ()
    """Names of the sources that may be searched."""
    databases: tuple[str, ...] = ()
    """The names that are databases, whether or not they are among `sources`; for graphs that query them."""
    tool_servers: tuple[str, ...] = ()
    """Names of the servers of tools that the operator named."""
    barred: dict[str, str] = {}
    """For a run that picks its mode: the modes that it cannot pick here, by name, and why."""
    choice: Choice = Choice()
    """The mode that it picked."""
    domain: str = ""
    """The name of the rubric by which evidence is judged; empty: by that of no field."""
    domains: tuple[Rubric, ...] = ()
    """The rubrics that there are for the run: the one that was named, or those among which its question decides."""
    iteration: int = Field(default=1, ge=1)
    """The turn of the loop that is running; equals `conversation[-1].number` once it has begun."""
    conversation: tuple[IterationData, ...] = ()
    evidence: tuple[EvidenceRef, ...] = ()
    """In the order in which it was found, each id once. Only ever appended to."""
    outputs: JsonObject = {}
    """The latest output of each node, by node id."""
    title: str = ""
    """The report's title, once there is a plan."""
    plan: tuple[SectionPlan, ...] = ()
    """The planned sections, each with its question, titles made unique. Sections dropped on request are marked and have
    no outcome."""
    added_sections: tuple[SectionPlan, ...] = ()
    """Sections added by request before the plan existed, which then includes them."""
    sections: tuple[SectionResult, ...] = ()
    """The outcomes of the sections, in the plan's order."""
    ledger: Ledger | None = None
    """For a team with a manager: its plan, whose turn is next, and the counts."""
    hypotheses: tuple[Hypothesis, ...] = ()
    """Possible answers, with ids of evidence for and against each; the latest ones."""
    values: dict[str, Json] = {}
    """For custom graphs: written by the reducers `set_values` and `collect_results`."""
    failures: tuple[NodeFailure, ...] = ()
    """Failures of nodes that were left by an `on_error` edge and have not succeeded since: each node once, the latest
    last. Expressions read the latest as `failure`."""
    warnings: tuple[str, ...] = ()
    """Warnings for the readers of the report: files that were skipped, searches that failed."""

    @property
    def distinct_evidence(self) -> tuple[str, ...]:
        """Ids of the evidence without what repeats older evidence: what agents are shown."""
        return tuple(ref.id for ref in self.evidence if ref.duplicate_of is None)

    @property
    def beside(self) -> frozenset[str]:
        """Ids of the passages that a judge found off topic."""
        return frozenset(id for turn in self.conversation for id in turn.beside)

    @property
    def useful_evidence(self) -> tuple[str, ...]:
        """`distinct_evidence` without what is off topic."""
        beside = self.beside
        return tuple(id for id in self.distinct_evidence if id not in beside)

    def with_evidence(self, found: Iterable[EvidenceRef]) -> "ResearchState":
        """Returns the state with `found` added at the end, each id once.

        A mark `duplicate_of` is taken over only if it names evidence that is here and has no mark itself: of passages
        that repeat each other one is always shown.
        """
        known = {ref.id for ref in self.evidence}
        new = tuple({ref.id: ref for ref in found if ref.id not in known}.values())
        shown = {ref.id for ref in (*self.evidence, *new) if ref.duplicate_of is None}
        sound = (ref if ref.duplicate_of in shown else ref.model_copy(update={"duplicate_of": None}) for ref in new)
        return self.model_copy(update={"evidence": (*self.evidence, *sound)})


class DraftRef(Frozen):
    """A draft in the artifact store, with what the state needs to know of it."""

    artifact: str
    """Content hash of the stored `ReportDraft`."""
    title: str
    answered: bool
    claims: int = Field(ge=0)
    cited: int = Field(ge=0)
    """Different pieces of evidence that it cites."""
    evidence: tuple[str, ...] = ()
    """Ids of the passages that it cites or calls related."""
    beside: tuple[str, ...] = ()
    """Ids of the best passages that it neither cites nor calls related: for joining it with other drafts."""


class ReportRef(Frozen):
    """A report in the artifact store, with the figures that a run's last event shows."""

    artifact: str
    title: str
    answered: bool
    partial: str | None
    words: int = Field(ge=0)
    references: int = Field(ge=0)
    verified: int = Field(ge=0)
    unverified: int = Field(ge=0)
