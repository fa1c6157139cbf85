"""A fault of a graph: a sentence for people with its location, as a JSON pointer (RFC 6901).

Checks report faults in the graph as it was parsed; the client that sent the JSON gets a location in that JSON: a name
that stands for a branch has no inside there, and a missing part is located at the object that lacks it.
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
