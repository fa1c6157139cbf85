"""Tools: what one is, all that there are by name, and those of the kernel with their input and output models.

Looks are what the API asks a worker outside any run, such as what a database holds. A plugin names its own. Names and
fields of `LookCall` are persisted in histories, as those in `contracts.py` are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel, Field

from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.plugin import Registry
from elcano.graphs.state.events import EventType
from elcano.graphs.state.state import RELATED as RELATED
from elcano.graphs.state.state import EvidenceRef


@dataclass(frozen=True)
class ToolSpec:
    """One tool: an activity that calls no model."""

    name: str
    description: str
    input: type[Frozen]
    output: type[Frozen]
    starts: EventType
    """The event that announces its call, such as `analyzing`."""
    completes: EventType
    """The event that reports its output, such as `analysis_complete`."""
    summary: Callable[[JsonObject], tuple[str, JsonObject]] | None = None
    """Its output in one sentence and its figures, for its end event; None: that it is done."""
    needs: str = ""
    """The extra without which it fails."""
    uses: str = ""
    """The extra without which it answers less."""
    attaches: str = ""
    """The name under which its last output's `artifact` is attached to the report; empty: it is not."""
    run: str = ""
    """The dotted path of the coroutine function that does it, `package.module:name`; it is called with a `ToolWork` and
    its input. Empty: the kernel does it."""


TOOLS: Final[Registry[ToolSpec]] = Registry("tools", ToolSpec)


class SearchInput(Frozen):
    """One search in one source."""

    source: str = Field(min_length=1, max_length=100)
    query: str = Field(min_length=1, max_length=10_000)
    """As long as a question may be; each source uses as much of it as it can."""
    limit: int = Field(default=8, ge=1, le=50)
    """Passages wanted at most."""


class SearchOutput(Frozen):
    """The results of a source. Its passages are in the evidence store before this is returned."""

    source: str
    query: str
    evidence: tuple[EvidenceRef, ...] = ()
    warnings: tuple[str, ...] = ()
    """Skipped files, each with the reason."""
    refused: int = Field(default=0, exclude_if=lambda refused: not refused)
    """Passages or pages that the lists and the egress scope of the run refuse; a warning says why."""


class RelatedInput(Frozen):
    """One search of the findings of the run and its branches."""

    query: str = Field(min_length=1, max_length=1_000)
    limit: int = Field(default=8, ge=1, le=50)
    """Passages wanted at most."""


class GivesEvidence(Frozen):
    """The output of a tool whose passages are in the evidence store before this is returned."""

    evidence: tuple[EvidenceRef, ...] = ()


class NoopInput(Frozen):
    """Anything; it is not read."""

    payload: JsonObject = {}


class NoopOutput(Frozen):
    """Nothing was done."""

    ok: bool = True


class ItemOutcome(Frozen):
    """One item of a `for_each` node: its output, or why it failed."""

    index: int = Field(ge=0)
    input: JsonObject = {}
    output: JsonObject | None = None
    error: str | None = None
    error_type: str | None = None


class ItemOutcomes(Frozen):
    """The output of a node that ran once per item, in the order of the items."""

    items: tuple[ItemOutcome, ...] = ()


KERNEL_TOOLS: Final = (
    ToolSpec(
        name="search",
        description="Searches one source and stores the passages it finds.",
        input=SearchInput,
        output=SearchOutput,
        starts="searching",
        completes="search_complete",
    ),
    ToolSpec(
        name="search_related",
        description="Finds what the run and its branches have in store on a subject, whichever source it is from.",
        input=RelatedInput,
        output=SearchOutput,
        starts="searching",
        completes="search_complete",
    ),
    ToolSpec(
        name="noop",
        description="Does nothing, durably: for measuring and for trying a graph out.",
        input=NoopInput,
        output=NoopOutput,
        starts="analyzing",
        completes="analysis_complete",
    ),
)


LOOK_WORKFLOW: Final = "look"
LOOK: Final = "look"
"""The activity."""


@dataclass(frozen=True)
class LookSpec:
    """One kind of look."""

    name: str
    input: type[Frozen]
    output: type[BaseModel]
    seconds: float
    """Timeout of the API's request, in seconds."""
    run: str
    """The dotted path of the coroutine function that does it; it is called with the worker's `Services` and its
    input."""


LOOKS: Final[Registry[LookSpec]] = Registry("looks", LookSpec)


class LookCall(Frozen):
    """Input of the workflow of a look and of its activity; it belongs to no run."""

    look: str
    """The name of its specification."""
    asked: JsonObject
    queue: str
    """The task queue of the workers that are asked."""
    seconds: float
    about: str
    """Its subject, for the Temporal UI."""
