"""The specifications of tools and reducers that a graph can name; `tool_registry` holds them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.state.events import EventType
from elcano.graphs.state.state import ResearchState


@dataclass(frozen=True)
class ToolSpec:
    """One tool: an activity that calls no model."""

    name: str
    description: str
    input: type[Frozen]
    output: type[Frozen]
    starts: EventType
    completes: EventType
    summary: Callable[[JsonObject], tuple[str, JsonObject]] | None = None
    """Its output in one sentence and its figures, told when it ends; None: that it is done."""
    needs: str = ""
    """The extra without which it fails."""
    uses: str = ""
    """The extra without which it answers less."""
    run: str = ""
    """The dotted path of the coroutine function that does it, `package.module:name`; it is called with a `ToolWork` and
    its input. Empty: the kernel does it."""


@dataclass(frozen=True)
class ReducerSpec:
    """One pure change of the state."""

    name: str
    description: str
    input: type[Frozen]
    apply: Callable[[ResearchState, Any], ResearchState]
    item: type[Frozen] | None = None
    """Of one that takes `ItemOutcomes`: what each item's output must be. None for the others."""
    adds_evidence: bool = False
    """Whether it can put evidence into the state."""
    told: Callable[[ResearchState], tuple[str, JsonObject]] | None = None
    """Of one whose change is worth a sentence of its own: that sentence and its figures, from the changed state."""
    hands_in: bool = False
    """Whether an exit that has it ends its run with the draft that it is given, as one does that writes."""
