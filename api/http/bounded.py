"""How large an answer may be: what is over it is left out by its largest parts, each of which is named."""

from typing import Final

from pydantic import TypeAdapter

from elcano.api.http.step_views import LeftOut
from elcano.graphs.frozen import Json

PART_BYTES: Final = 1_000_000
"""Of one part of an answer, as JSON: a state with some 5,000 passages."""

_JSON: Final[TypeAdapter[Json]] = TypeAdapter(Json)


def bounded(where: str, value: Json, most: int | None) -> tuple[Json, list[LeftOut]]:
    """`value` without its largest parts, so that it has at most `most` bytes as JSON; None: it is never cut.

    Parts are members of an object, and of those again that are objects themselves; any other value stands as a whole.
    """
    if most is None or (size := _bytes(value)) <= most:
        return value, []
    if not isinstance(value, dict):
        return None, [LeftOut(where=where, size=size)]
    sizes = {name: _bytes(part) for name, part in value.items()}
    kept, left_out, over = dict(value), list[LeftOut](), size - most
    for name in sorted(sizes, key=lambda name: -sizes[name]):
        if over <= 0:
            break
        part, missing = bounded(f"{where}.{name}", value[name], max(0, sizes[name] - over))
        over -= sum(one.size for one in missing)
        left_out += missing
        if part is None and missing:
            del kept[name]
        else:
            kept[name] = part
    return kept, left_out


def _bytes(value: Json) -> int:
    return len(_JSON.dump_json(value))
