"""The state of a run: one frozen value, small enough to travel; large texts are in the store and named by id."""

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.errors import InputInvalid
from elcano.graphs.expressions.weight import Scale, ValueTooLarge
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.values.choice import Choice
from elcano.graphs.values.criteria import Criterion
from elcano.graphs.values.endings import EndKind
from elcano.graphs.values.form import ReportForm
from elcano.graphs.values.history import HistoryEntry
from elcano.graphs.values.hypotheses import Hypothesis
from elcano.graphs.values.ledger import Ledger
from elcano.graphs.values.rubric import Rubric

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


class IterationData(Frozen):
    """One turn of the research loop: the thought, the gap, the searches and the findings."""

    number: int = Field(ge=1)
    thought: str = ""
    gap: str = ""
    tool_calls: tuple[ToolCallRecord, ...] = ()
    findings: tuple[str, ...] = ()
    """Ids of the evidence that this iteration added."""
    judgement: str = ""
    suggested_queries: tuple[str, ...] = ()
    """What the judge would search next; the next tool selection reads it."""


class SectionPlan(Frozen):
    """One section that is to be researched."""

    title: str
    key_question: str
    criteria: tuple[str, ...] = ()
    """What its research has to find, each so that it can be seen whether it was."""
    form: ReportForm | Literal[""] = ""
    wish: str = ""
    """What of the wishes for the whole report is for it: how long it is, for whom; empty: they were not divided."""
    left_out: bool = False
    """Somebody had it dropped. It keeps its place, so that those after it keep theirs."""


class SectionGap(Frozen):
    """Why a section of the report is missing."""

    reason: str
    type: str = ""
    """The name of the error, for programs."""
    attempts: int = Field(default=0, ge=0)
    """How often its failing call was tried; 0 if it never began."""
    tokens: int = Field(default=0, ge=0)
    cost_microusd: int = Field(default=0, ge=0)


class SectionResult(Frozen):
    """What became of one section: its draft and the evidence that it handed over, or the gap that it leaves."""

    title: str
    key_question: str
    draft: str | None = None
    """Artifact hash of the section's `ReportDraft`; None also if no writer ends its branch."""
    unanswered: bool = False
    """Its branch came to its end, and nothing that it found answers its question."""
    evidence: tuple[str, ...] = ()
    searches: tuple[str, ...] = ()
    """The queries that its research made."""
    ending: str = ""
    """Why its research ended early, in words; empty if it did not."""
    ended_by: str = ""
    """The kind of that ending, or of its gap, for programs."""
    tokens: int = 0
    """What its research used."""
    wish: str = ""
    """What the person who asked wants of it, as the plan divided that."""
    gap: SectionGap | None = None

    @property
    def incomplete(self) -> bool:
        """Whether something of it is missing: its research ended early, it left a gap, or its writer found no answer.

        A branch without a writer that found nothing has done what it was for.
        """
        unwritten = self.unanswered and self.draft is not None
        return bool(self.ending) or unwritten or self.gap is not None


class NodeFailure(Frozen):
    """What went wrong at a node and was left by an edge `on_error`, until the node does its work."""

    node: str
    type: str
    """The name of the error."""
    message: str = Field(max_length=2_000)
    attempts: int = Field(ge=0)
    """How often the call was tried."""
    times: int = Field(ge=1)
    """How often in a row the node has failed so."""


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


class Ending(Frozen):
    """Why a run left its graph before the research was complete. Its report is labelled partial."""

    kind: EndKind
    detail: str = ""
    """One sentence for the report's head and the event."""
    type: str = Field(default="", exclude_if=lambda type: not type)
    """Of a node that failed: the name of the error."""


HoldReason: TypeAlias = Literal["budget", "provider", "person", "pause", "approval", "store"]
"""What a run waits for. `budget`: a top-up. `provider`: one that is down, overloaded or out of quota. `person`:
somebody who mends a key, a name or a setting. `pause`: to be continued by somebody. `approval`: somebody who approves
or refuses its plan, or a call of a tool that writes."""


class Hold(Frozen):
    """Why a run does nothing now. It goes on by itself, or once the cause is resolved."""

    reason: HoldReason
    node: str
    agent: str = ""
    source: str = ""
    """Of a search."""
    type: str = ""
    """The name of the error, for programs; of a budget the limit that is used up."""
    detail: str = Field(default="", max_length=2_000)
    """What the provider said, which limit is used up, or why somebody paused it."""
    by: str = ""
    """Who paused it; empty if nobody was named."""
    tries: int = Field(default=0, ge=0)
    """How often the call was tried in vain; 0 if it waits for its first try."""
    since: float | None = None
    """When it began, in seconds since the epoch."""
    until: float | None = None
    """When the call is tried again, in seconds since the epoch; None: once somebody has done something."""
    seconds: float = Field(default=0.0, ge=0)
    """How long that was from the moment in which the last try failed."""
    ending: Ending | None = None
    """How the run ends if it is told to, of one that waits for budget."""


class FailedTries(Frozen):
    """What the tries of a call have left that could not be answered; it is made again."""

    tries: int = Field(ge=1)
    """How often it was tried in vain."""
    since: float
    """When the first try failed, in seconds since the epoch."""
    progress: JsonObject = {}
    """What the call had finished by then: nothing of it is done again."""


class Failure(Frozen):
    """A node that failed for good."""

    node: str
    type: str
    """The name of the error, for programs."""
    message: str = Field(max_length=2_000)
    attempts: int = Field(default=1, ge=0)
    exhausted: Literal["tokens", "cost"] | None = None
    """Set if nothing is broken: what its call was allowed to use did not suffice."""
    fatal: bool = False
    """Nothing can go on until somebody has mended something (a refused key): the run fails at once."""


def weigh_state(state: ResearchState, most: int) -> dict[str, int]:
    """Bytes of each field of a state, as `weight` counts them, of which none may have over `most`.

    Raises:
        InputInvalid: one is more than a state may hold, or could not be written down.
    """
    return {name: _weigh_value(getattr(state, name), most) for name in ResearchState.model_fields}


def reweigh_state(known: Mapping[str, int], before: ResearchState, after: ResearchState, most: int) -> dict[str, int]:
    """Return the weights of the state `after`, given the weights `before`: only what was replaced is weighed.

    A run that is older than a field was weighed by another program, so all of it is weighed anew.

    Raises:
        InputInvalid: see `weigh_state`.
    """
    if known.keys() != ResearchState.model_fields.keys():
        return weigh_state(after, most)
    return {name: known[name] + _compute_growth(getattr(before, name), getattr(after, name), most) for name in known}


def _weigh_value(value: object, most: int) -> int:
    try:
        return Scale(most).weigh(value).bytes
    except ValueTooLarge as error:
        raise InputInvalid("state", f"what the state would hold {error}") from error


def _compute_growth(before: object, after: object, most: int) -> int:
    """Parts that are the same object weigh the same."""
    if before is after:
        return 0
    if isinstance(before, dict) and isinstance(after, dict):
        added = sum(_weigh_value(name, most) for name in after.keys() - before.keys())
        removed = sum(_weigh_value(name, most) for name in before.keys() - after.keys())
        both = ((before.get(name, _NOTHING), after.get(name, _NOTHING)) for name in before | after)
        return added - removed + sum(_compute_growth(one, two, most) for one, two in both)
    if isinstance(before, tuple) and isinstance(after, tuple):
        return sum(_compute_growth(one, two, most) for one, two in zip_longest(before, after, fillvalue=_NOTHING))
    return (0 if after is _NOTHING else _weigh_value(after, most)) - (
        0 if before is _NOTHING else _weigh_value(before, most)
    )


_NOTHING: Final = object()
