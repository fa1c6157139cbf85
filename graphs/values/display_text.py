"""Names, numbers and lists, as events tell them."""

from elcano.graphs.frozen import Json


def format_count(number: int, one: str, many: str = "") -> str:
    """`1 passage`, `2 passages`; `many` where it is not `one` with an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def title_from_id(name: str) -> str:
    """The id of a node as words: `knowledge_gap` is `Knowledge gap`, `sql_repair` is `SQL repair`."""
    words = name.replace("_", " ").capitalize()
    return f"SQL{words[3:]}" if words.startswith("Sql ") else words


def ensure_list(value: Json) -> list[Json]:
    """`value` if it is a list, else an empty one."""
    return value if isinstance(value, list) else []
