"""The state of a run: one frozen value, small enough to travel; large texts are in the store and named by id."""

from collections.abc import Iterable
from typing import Final, Literal

from pydantic import Field

from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.state.failures import NodeFailure
from elcano.graphs.state.plan import Criterion, ReportForm, SectionPlan, SectionResult
from elcano.graphs.state.rubric import Rubric
from elcano.graphs.state.team import Hypothesis, Ledger

REASON_CHARACTERS: Final = 600
"""Of a reason, for people."""


class Choice(Frozen):
    """The mode by which a run goes on that was asked for as `auto`; empty until it was chosen."""

    mode: str = ""
    reason: str = Field(default="", max_length=REASON_CHARACTERS + 1)
    """One or two sentences, for whoever asked."""


def format_chosen_mode(asked: str, choice: Choice) -> str:
    """Return a mode in one word: the mode asked for and, if that was left to the run, the one it chose."""
    return f"{asked}/{choice.mode}" if choice.mode and choice.mode != asked else asked


MOST_ENTRIES: Final = 6
"""Of the conversation so far, the latest."""


QUESTION_CHARACTERS: Final = 400


ANSWER_CHARACTERS: Final = 900


OLDER_ANSWER_CHARACTERS: Final = 300
"""Of an answer before the latest one."""


SQL_CHARACTERS: Final = 1_000


MOST_SQL: Final = 2


MOST_CITED: Final = 10
"""Ids of evidence that an entry names."""


MOST_EVIDENCE: Final = 40
"""Passages that a run takes over from the one that it follows."""


class HistoryEntry(Frozen):
    """One question that was asked before, and what came of it."""

    run_id: str
    question: str = Field(max_length=QUESTION_CHARACTERS + 1)
    answer: str = Field(default="", max_length=ANSWER_CHARACTERS + 1)
    """The beginning of its answer; empty: there was none."""
    status: str = ""
    """How that run ended."""
    ending: str = ""
    """Why it ended early, or failed; empty if it did not."""
    sql: tuple[str, ...] = Field(default=(), max_length=MOST_SQL)
    """What it asked databases last."""
    evidence: tuple[str, ...] = Field(default=(), max_length=MOST_CITED)
    """Ids of the passages that its report cites first."""
    report: str = ""
    """The artifact hash of its report; empty: it has none."""


def strip_history_for_agent(history: tuple[HistoryEntry, ...]) -> tuple[HistoryEntry, ...]:
    """Return the history as agents see it, without what only programs use."""
    return tuple(one.model_copy(update={"evidence": (), "report": ""}) for one in history)


EXCERPT_CHARACTERS = 240
"""How much of a passage the state carries; agents read the whole passage from the store."""


class EvidenceRef(Frozen):
    """One passage that was found, by reference. Its text is in the evidence store under `id`."""

    id: str = Field(min_length=1, max_length=300)
    """Canonical: the same passage found twice has the same id (PMID, DOI, URL, path and hash)."""
    source: str
    """The source that was searched."""
    title: str
    locator: str
    """Where a person finds it: a URL, or path, page and anchor."""
    excerpt: str = Field(max_length=EXCERPT_CHARACTERS + 1)
    characters: int = Field(ge=0)
    """Length of the stored passage, for estimates."""
    document: str
    """Canonical id of the document it is a part of; passages of one document are one cited reference."""
    duplicate_of: str | None = None
    """The id of older evidence that it repeats. It is kept, and agents are shown the older one in its place."""


RELATED: Final = "this run"
"""In place of a source: what the run has found already was searched. Each passage names the source it is from."""


class ToolCallRecord(Frozen):
    """One search that was made, and what came of it."""

    source: str
    query: str
    found: int = 0
    """Passages returned."""
    new: int = 0
    """Passages that the run did not have before."""
    error: str | None = None
    """Why it failed; an error is never evidence."""
    pending: bool = False
    """It is about to be made; what comes of it takes its place."""
    chosen: bool = False
    """An agent chose it; others are made whatever is known."""


class IterationData(Frozen):
    """One turn of the research loop: the thought, the gap, the searches and the findings."""

    number: int = Field(ge=1)
    thought: str = ""
    gap: str = ""
    """The first of `gaps`; empty: none is left."""
    gaps: tuple[str, ...] = ()
    """What is missing, the most important first; all of it is searched for in this iteration."""
    complete: bool = False
    """Whether it was said in this iteration that nothing is missing."""
    tool_calls: tuple[ToolCallRecord, ...] = ()
    findings: tuple[str, ...] = ()
    """Ids of the evidence that this iteration added."""
    judgement: str = ""
    beside: tuple[str, ...] = ()
    """Ids of passages, of this or an earlier iteration, that were found to be beside the question: agents are shown
    them no more, and they count as nothing new."""
    suggested_queries: tuple[str, ...] = ()
    """What the judge would search next; the next tool selection reads it."""


class ResearchState(Frozen):
    """Everything that expressions can read and reducers can change."""

    question: str
    background: str = ""
    """Context from whoever started the run: a user, or the plan that this run is a section of."""
    history: tuple[HistoryEntry, ...] = ()
    """Of a run that follows another one: what was asked and answered before, the oldest first, the latest ones."""
    instructions: str = ""
    """What the person who asked wants of the report's length, tone or form."""
    review: bool = False
    """Whether the report's statements are read against their quotes by the reviewer."""
    guidance: tuple[str, ...] = ()
    """What somebody said of the research while it was under way, the latest last."""
    language: str = ""
    """The question's, by its English name; empty if nobody has said."""
    form: ReportForm | Literal[""] = ""
    """That of the report; empty: nobody has said, and whoever writes chooses."""
    criteria: tuple[Criterion, ...] = ()
    """What the answer has to meet, and how far that is so."""
    sources: tuple[str, ...] = ()
    """Names of the sources that may be searched."""
    databases: tuple[str, ...] = ()
    """Which names are those of databases, whether or not they are among `sources`; of a graph that asks them."""
    tool_servers: tuple[str, ...] = ()
    """Names of the servers of tools that the operator named."""
    barred: dict[str, str] = {}
    """Of a run that chooses its mode: by name those that it cannot choose here, and why."""
    choice: Choice = Choice()
    """Which one it has chosen."""
    domain: str = ""
    """The name of the rubric by which evidence is judged; empty: by that of no field."""
    domains: tuple[Rubric, ...] = ()
    """The rubrics that there are for the run: the one that was named, or those among which its question decides."""
    iteration: int = Field(default=1, ge=1)
    """The turn of the loop that is running; equals `conversation[-1].number` once it has begun."""
    conversation: tuple[IterationData, ...] = ()
    evidence: tuple[EvidenceRef, ...] = ()
    """In the order of their finding, each id once. Only ever appended to."""
    outputs: JsonObject = {}
    """The latest output of each node, by node id."""
    title: str = ""
    """The report's title, once there is a plan."""
    plan: tuple[SectionPlan, ...] = ()
    """The sections that were planned, each with its question, titles made unique. Those that somebody had dropped are
    marked; nothing comes of them."""
    added_sections: tuple[SectionPlan, ...] = ()
    """Sections that somebody added before there was a plan, which takes them over."""
    sections: tuple[SectionResult, ...] = ()
    """What came of them, in the plan's order."""
    ledger: Ledger | None = None
    """Of a team that a manager leads: what it goes by, whose turn is next, what was counted."""
    hypotheses: tuple[Hypothesis, ...] = ()
    """What may be so, with ids of evidence for and against each; the latest ones."""
    values: dict[str, Json] = {}
    """For graphs of one's own: written by the reducers `set_values` and `collect_results`."""
    failures: tuple[NodeFailure, ...] = ()
    """Of nodes that failed, were left by an edge `on_error` and have not done their work since: each once, the latest
    last. Expressions read that one as `failure`."""
    warnings: tuple[str, ...] = ()
    """What a reader of the report should know: files that were skipped, searches that failed."""

    @property
    def distinct_evidence(self) -> tuple[str, ...]:
        """Ids of the evidence without what repeats older evidence: what agents are shown."""
        return tuple(ref.id for ref in self.evidence if ref.duplicate_of is None)

    @property
    def beside(self) -> frozenset[str]:
        """Ids of the passages that a judge found beside the question."""
        return frozenset(id for turn in self.conversation for id in turn.beside)

    @property
    def useful_evidence(self) -> tuple[str, ...]:
        """`distinct_evidence` without what is beside the question."""
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
