"""What is known of a run when all is over: what its clients heard and asked, what was counted, and what it left.

`checks` read nothing else, so that each of them can be shown a fault.
"""

from typing import Literal, NamedTuple

from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.state.events import TERMINAL
from elcano.storage.ledger import LedgerEntry
from tests.chaos.storm.notes import Note
from tests.chaos.storm.schedule import Plan, Target


class Applied(Frozen):
    """A disturbance that was made. Times are seconds since the epoch."""

    run: str
    """Whose plan had it; it meets all that are under way."""
    target: Target
    how: Literal["kill", "stop"]
    began: float
    ended: float
    """When what was disturbed was started, or went on, again."""


class Place(NamedTuple):
    """Which event something is: the journal that it is of, and its number there."""

    path: str
    seq: int


class Heard(Frozen):
    """One message of a stream."""

    at: float
    event: str
    id: str | None
    """None: it is a notice."""
    data: JsonObject

    @property
    def place(self) -> Place:
        """Of an event. That a branch begins or ends is told by the run that it belongs to."""
        path = "" if self.event in ("branch_started", "branch_complete") else str(self.data["path"])
        seq = self.data["seq"]
        assert isinstance(seq, int)
        return Place(path, seq)

    @property
    def ends(self) -> bool:
        """Whether the run told that it is over."""
        return self.id is not None and self.event in TERMINAL and not self.data["path"]


class Transcript(Frozen):
    """What one client heard of one run."""

    client: str
    heard: tuple[Heard, ...]
    connections: int
    wrong: tuple[str, ...] = ()
    """Answers that no client should get, however disturbed the server is."""

    @property
    def told(self) -> int:
        """How many events it heard."""
        return sum(one.id is not None for one in self.heard)


class Request(Frozen):
    """What a client asked of a run, and what was answered in the end."""

    action: str
    at: float
    """When it was answered."""
    status: int
    body: JsonObject = {}

    @property
    def accepted(self) -> bool:
        """Whether it was done."""
        return self.status < 300


class Completed(Frozen):
    """A call of an agent whose result the Temporal server has."""

    run_id: str
    """The run, or the section."""
    step: int
    """Of the run that was asked for: a section's calls count as the step that started it."""
    agent: str
    question: str
    iteration: int
    at: float
    node: str = ""


class Again(Frozen):
    """A run was taken up again from before a step, or another run was forked from there."""

    at: float
    step: int
    """Calls from this step on may be made again."""
    sections: bool = True
    """Those of its sections too; if not, only what their writers wrote is written anew."""


class Left(Frozen):
    """What a run left behind."""

    status: str
    markdown: str = ""
    """Empty: it has no report."""
    unverified: int = 0
    evidence: tuple[str, ...] = ()
    archive: tuple[Heard, ...] = ()
    """The events as they are told when all is over."""
    charged: int = 0
    """Tokens, by its budget."""
    noted: int = 0
    """Tokens, by the ledger, without what was undone."""
    unfolded: tuple[str, ...] = ()
    """Logs, its own and its sections', that do not give the run that they are of."""
    results: int = 0
    """Results of queries that its answer rests on."""
    unreachable: tuple[str, ...] = ()
    """Results, and what was drawn of them, that nobody can read."""
    certified: bool = False
    """Its certificate holds."""
    uncertified: tuple[str, ...] = ()
    """Why the certificate of its report does not hold."""


class Played(Frozen):
    """One run, from the request to what it left."""

    plan: Plan
    run_id: str
    began: float
    ended: float | None
    """When its last client knew that it was over; None: it never was."""
    transcripts: tuple[Transcript, ...]
    requests: tuple[Request, ...] = ()
    again: tuple[Again, ...] = ()
    forked_from: str = ""
    """Of a fork: the run that it begins with."""
    forked_at: int = 0
    """And the first step that it takes itself."""
    shared: tuple[Completed, ...] = ()
    """And the calls of that run before it, which it does not pay for."""
    completed: tuple[Completed, ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()
    notes: tuple[Note, ...] = ()
    """Of the model."""
    left: Left | None = None
    """None: it is not archived."""

    def asked(self, *actions: str) -> bool:
        """Whether one of these was asked of it and accepted."""
        return any(one.action in actions and one.accepted for one in self.requests)
