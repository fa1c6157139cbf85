"""A fault of a graph: a sentence for people that also knows its place, as a JSON pointer (RFC 6901).

What checks find is told of the graph as it was read; whoever sent its JSON is told a place that is in that: a name that
stands for a branch has no inside there, and what was left out has no place but that of what it is missing in.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence


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
    """Messages as faults of one place; of one that has a place of its own, below it."""
    for message in messages:
        yield Fault(message, place + message.pointer if isinstance(message, Fault) else place)


def pointer_of(message: str) -> str:
    """Where a fault is; empty for a text that says nothing of it."""
    return message.pointer if isinstance(message, Fault) else ""


def trim_pointer_to_document(document: object, place: str) -> str:
    """As much of a pointer as leads somewhere in `document`."""
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
