"""Numbers and lists, as events tell them."""

from elcano.graphs.frozen import Json


def counted(number: int, one: str, many: str = "") -> str:
    """`1 passage`, `2 passages`; `many` where it is not `one` with an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(value: Json) -> list[Json]:
    """`value` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []
