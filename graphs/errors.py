"""Everything that this project raises on purpose, as one tree; names say when it went wrong.

Workflow code lists `ElcanoError` among its failure types, so one of these fails a run and never wedges a task.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal


class ElcanoError(Exception):
    """The base class. Its text is for the person who has to act: what is wrong and what to do."""


class GraphInvalid(ElcanoError):
    """A graph has faults. `faults` holds every one, each naming its node or edge.

    `pointers` has the place of each in what was sent: a JSON pointer; None where nothing was sent.
    """

    def __init__(self, graph: str, faults: Sequence[str], pointers: Sequence[str] | None = None) -> None:
        self.graph = graph
        self.faults = tuple(faults)
        self.pointers: tuple[str | None, ...] = (None,) * len(self.faults) if pointers is None else tuple(pointers)
        super().__init__(f"graph {graph!r} has {len(self.faults)} fault(s): " + "; ".join(self.faults))


class InputInvalid(ElcanoError):
    """The request cannot work. `field` names the part of it that has to change."""

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(message)


class EngineFault(ElcanoError):
    """The engine was given an entry that does not belong to the run's place. This is a bug."""


class StoreIncompatible(ElcanoError):
    """The data on disk was written by another version of this project; the program does not start."""


class StoreDamaged(ElcanoError):
    """A data file is damaged. The text names it and says what to do."""


class SealedDataUnreadable(StoreDamaged):
    """Stored data is encrypted and cannot be decrypted here: its key is missing, or it was changed."""


class StoreUnavailable(ElcanoError):
    """A database server or an object store does not answer, or refuses: worth another try. The text says what to do."""


class RunOpen(ElcanoError):
    """A run that has not ended cannot be deleted or resumed."""


class ActivityFault(ElcanoError):
    """The root of what activities raise knowingly."""


class BudgetExhausted(ActivityFault):
    """Another request to a model would take more than its call may use; `exhausted` says of what."""

    def __init__(self, exhausted: Literal["tokens", "cost"], message: str) -> None:
        self.exhausted = exhausted
        super().__init__(message)


class SourceUnavailable(ActivityFault):
    """A source cannot be searched at the moment; Temporal retries."""


class SourceBusy(SourceUnavailable):
    """The provider of a source is down, overloaded, out of quota, or asks to wait: `retry_after` seconds if it says.

    The run is held if that lasts.
    """

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class SourceRefused(ActivityFault):
    """A source will never answer this call; trying again cannot help."""


class ToolUnavailable(ActivityFault):
    """A server of tools could not be reached, broke off or took too long; what only reads is tried again."""


class ToolRefused(ActivityFault):
    """A tool will never answer this call: there is none, its arguments do not fit, or its answer cannot be read."""


class ApprovalNeeded(ToolRefused):
    """A tool writes, and this is not allowed yet. The text says what the operator has to set."""


class OutcomeUnknown(ActivityFault):
    """A tool that writes was called, and it is not known whether it did its work. It is never called again."""


class ModelRefused(ActivityFault):
    """A model will never answer this call; a key, a quota or a name has to be fixed first."""


class ModelBusy(ActivityFault):
    """A model's provider is down, overloaded, or asks to wait: `retry_after` seconds if it says. The run is held."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(message)


class RequestRefused(ActivityFault):
    """A model's provider refuses a request for its content; other requests may be answered."""


class PromptTooLong(RequestRefused):
    """A prompt is longer than its model takes: worth another try with less."""


class AnswerUnusable(ActivityFault):
    """A model answered, but never in the form that was asked for."""


class AnswerCutOff(AnswerUnusable):
    """An answer reached a limit of its length before it was complete; `tokens` had been written, if that is known."""

    def __init__(self, message: str, tokens: int = 0) -> None:
        self.tokens = tokens
        super().__init__(message)


class AnswerDeclined(AnswerUnusable):
    """A model refused to answer, or its provider's filter withheld the answer."""


class TooManyAgents(ElcanoError):
    """The maximum number of agents, or of versions of one, is stored."""


class TooManyGraphs(ElcanoError):
    """The maximum number of graphs, or of versions of one, is stored."""


class KnowledgeDisabled(ElcanoError):
    """There is no knowledge graph here; the text says what turns it on."""


class CypherRefused(ElcanoError):
    """An openCypher query cannot be run, or not here; the text says why."""


class Fault(str):
    """A fault and its remedy. As text it is its message; `pointer` is where, empty for the whole graph."""

    pointer: str

    def __new__(cls, message: str, pointer: str = "") -> "Fault":
        """A fault with this message at this place."""
        made = super().__new__(cls, message)
        made.pointer = pointer
        return made

    def within(self, named: str, pointer: str) -> "Fault":
        """The same, of a part that is called so and has this place."""
        return Fault(f"{named}: {self}", pointer + self.pointer)


def build_json_pointer(*parts: str | int) -> str:
    """The JSON pointer of a place, from the outside inwards."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in parts)


def build_faults_at(place: str, messages: Iterable[str]) -> Iterator[Fault]:
    """Build faults at one location from messages; a message with its own location is placed below it."""
    for message in messages:
        yield Fault(message, place + message.pointer if isinstance(message, Fault) else place)


def pointer_of(message: str) -> str:
    """Return the location of a fault; empty for a text without one."""
    return message.pointer if isinstance(message, Fault) else ""


def trim_pointer_to_document(document: object, place: str) -> str:
    """Return as much of a pointer as leads somewhere in `document`."""
    found, here = "", document
    for part in place.split("/")[1:]:
        inside, here = _look_up_part(here, part.replace("~1", "/").replace("~0", "~"))
        if not inside:
            return found
        found += f"/{part}"
    return found


def _look_up_part(here: object, part: str) -> tuple[bool, object]:
    if isinstance(here, Mapping):
        return part in here, here.get(part)
    if isinstance(here, Sequence) and not isinstance(here, str) and part.isdecimal() and int(part) < len(here):
        return True, here[int(part)]
    return False, None
