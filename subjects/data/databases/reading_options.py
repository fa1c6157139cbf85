"""Operator's options for files whose values are ambiguous: a JSON file next to each.

`orders.csv.reading.json` is of `orders.csv`: `{"header_rows": 1, "columns": {"placed": "day first"}}`.
"""

from pathlib import Path
from typing import Final

from pydantic import Field, ValidationError

from elcano.graphs.frozen import Frozen
from elcano.subjects.data.databases.column_types import Choice

SUFFIX: Final = ".reading.json"
MOST_BYTES: Final = 1_000_000


class ReadingOptions(Frozen):
    """Options for reading a file."""

    header_rows: int | None = Field(default=None, ge=0, le=10)
    """Rows that name the columns; 0: none does. None: found out."""
    columns: dict[str, Choice] = Field(default_factory=dict)
    """By the names of columns."""


def locate_options(path: Path) -> Path:
    """Return the path of a file's options."""
    return path.with_name(path.name + SUFFIX)


def load_options(path: Path) -> ReadingOptions:
    """The options of a file, which it need not have.

    Raises:
        ValueError: they cannot be read; the text names their file.
    """
    place = locate_options(path)
    try:
        if not place.exists():
            return ReadingOptions()
        if not place.is_file():  # a device or a pipe may have no end
            raise ValueError(f"{place.name} is no file")
        with place.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ValueError(f"{place.name} has more than {MOST_BYTES:,} bytes")
        return ReadingOptions.model_validate_json(data)
    except ValidationError as error:
        said = error.errors()[0]
        where = "/".join(map(str, said["loc"]))
        raise ValueError(f"{place.name} is wrong{f' at /{where}' if where else ''}: {said['msg']}") from None
