"""The data that an agent needs from stores and sources before its model is called, and what was loaded of it."""

from elcano.graphs.agents.envelope import EvidenceItem, OfferedSource, SectionItem, TaskEnvelope
from elcano.graphs.frozen import Frozen
from elcano.graphs.report.tables import Cell, DatabaseSchema, ResultDigest
from elcano.graphs.state.plan import SectionResult
from elcano.graphs.state.state import HistoryEntry, IterationData


class AgentInput(Frozen):
    """The input that almost all agents share."""

    question: str
    background: str = ""
    guidance: tuple[str, ...] = ()
    """What the person who asked said of the research while it was under way, the latest last."""
    language: str = ""
    """The question's, by its English name; empty if it is not known."""


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
    searched: tuple[str, ...] = ()
    """Sources to weigh them by, beside those of the conversation and the passages."""
    results: tuple[ResultDigest, ...] = ()
    """Results of queries, of which rows are shown."""
    tables: tuple[str, ...] = ()
    """Databases of which it is told what tables they have that the text in `weighed` may be about."""


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
        """Those of `items` alone: what a model was shown in the end."""
        ids = {item.key: self.ids[item.key] for item in items if item.key in self.ids}
        return self.model_copy(update={"items": items, "ids": ids})


class Drafts(Frozen):
    """What the sections say."""

    sections: tuple[SectionItem, ...] = ()
    """In the order of the plan; one without claims says why."""
    shown: ShownPassages = ShownPassages()
    """The passages that the claims cite, and the best that they do not, without their texts."""
    passages: tuple[tuple[EvidenceItem, ...], ...] = ()
    """Of each section those with their texts: what its draft cites first, then the best that it does not."""
    wishes: tuple[str, ...] = ()
    """What the person who asked wants of each section; empty where that was not divided."""
    related: tuple[str, ...] = ()
    """Ids of passages worth reading that no claim cites."""
    quoted: bool = True
    """Whether the drafts are literal quotations."""


class ShownResult(Frozen):
    """The rows of a result that a model is shown."""

    rows: tuple[tuple[Cell, ...], ...] = ()
    """Its first ones."""


class Loaded(Frozen):
    """Passages, sources, the drafts of sections and word weights."""

    shown: ShownPassages = ShownPassages()
    sources: tuple[OfferedSource, ...] = ()
    pages: tuple[str, ...] = ()
    """Where the passages are that are needed, the latest last, if one of `sources` is asked by addresses."""
    drafts: Drafts = Drafts()
    section: SectionItem = SectionItem(title="")
    """The draft that is to be written out now, by an agent that writes section by section."""
    written: tuple[SectionItem, ...] = ()
    """The report so far, of such an agent."""
    place: int = 0
    """The number of the section that is to be written out now, from 0."""
    passages_room: int = 0
    """Tokens that its passages may take in the prompt, whole texts alone."""
    results: tuple[ShownResult, ...] = ()
    """In the order in which they are needed."""
    tables: dict[str, DatabaseSchema] = {}
    """By the name of the database: names alone, without values."""
    saved_questions: dict[str, tuple[str, ...]] = {}
    """By the name of the database the saved questions that are like the question; only for the extractive model."""
    unread: dict[str, str] = {}
    """Of databases that could not be read: why."""
    term_weights: dict[str, float] = {}
    today: str = ""
    """The day on which the run began; empty if nobody said."""
    history: tuple[HistoryEntry, ...] = ()
    """What was asked and answered before."""
    room: int | None = None
    """Tokens that drafts may take in the prompt, so that the answer can be paid for too; None: not limited."""

    def envelope(self, kind: str, given: AgentInput) -> TaskEnvelope:
        """The envelope of a task `kind`, to which an agent adds the fields of its own."""
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
