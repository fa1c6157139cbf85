"""Bounds the size of a response: leaves out the largest parts of one that is too large, and names each of them."""

from collections.abc import Iterator
from typing import Final

from pydantic import TypeAdapter

from elcano.api.http.step_views import OmittedPart
from elcano.graphs.frozen import Json, JsonObject

PART_BYTES: Final = 1_000_000
"""Of one part of an answer, as JSON: a state with some 5,000 passages."""

_JSON: Final[TypeAdapter[Json]] = TypeAdapter(Json)


def limit_json_size(where: str, value: Json, most: int | None) -> tuple[Json, list[OmittedPart]]:
    """`value` without its largest parts, so that it has at most `most` bytes as JSON; None: it is never cut.

    Parts are the members of an object, and in place of one that is an object itself that one's members. A value without
    parts is left out as a whole.
    """
    if most is None or (size := _measure_json_bytes(value)) <= most:
        return value, []
    if not isinstance(value, dict):
        return None, [OmittedPart(where=where, size=size)]
    kept: JsonObject = {name: dict(part) if isinstance(part, dict) else part for name, part in value.items()}
    left_out, over = list[OmittedPart](), size - most
    for part_size, holder, name, place in sorted(_iterate_json_parts(where, kept), key=lambda part: -part[0]):
        if over <= 0:
            break
        del holder[name]
        left_out.append(OmittedPart(where=place, size=part_size))
        over -= part_size
    return kept, left_out


def _iterate_json_parts(where: str, value: JsonObject) -> Iterator[tuple[int, JsonObject, str, str]]:
    """Each part with its size: what holds it, its name there, and its place."""
    for name, part in value.items():
        if isinstance(part, dict):
            yield from (
                (_measure_json_bytes(one), part, inner, f"{where}.{name}.{inner}") for inner, one in part.items()
            )
        else:
            yield _measure_json_bytes(part), value, name, f"{where}.{name}"


def _measure_json_bytes(value: Json) -> int:
    return len(_JSON.dump_json(value))
