"""Tables of texts as tables with types: all texts are looked at, and none is changed by its type.

A sample decides first. Rows beyond it are checked while they are copied; if one does not fit, all rows decide. So a
large file is read once if it is what it seems to be, and three times if its beginning does not say what follows.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from elcano.subjects.data.databases.column_types import (
    SHAPE_CHARACTERS,
    Choice,
    ColumnReading,
    Shape,
    choose_reading,
    describe_misfit,
    find_conventions,
)
from elcano.subjects.data.databases.values import quote_identifier

SAMPLED_ROWS: Final = 20_000
SAMPLED_CELLS: Final = 1_000_000
"""A table of many columns is sampled in fewer rows."""
_LEAST_ROWS: Final = 200
_GROUPED_COLUMNS: Final = 200
"""Columns whose shapes one query finds: the time to plan it grows with their square."""
SAMPLED: Final = '"sampled rows"'
"""The temporary table of a sample; no file's table has a space in its name."""
_MISFIT: Final = re.compile(r"elcano misfit (\d+)")
_NINES: Final = "9" * SHAPE_CHARACTERS
_SHAPES: Final = f"""
    SELECT name, CASE
        WHEN lower(v) IN ('true', 'false') THEN v
        WHEN length(v) > {SHAPE_CHARACTERS} OR NOT regexp_full_match(v, '[-.,0-9][0-9.,:/TZUCeE+ -]*') THEN ''
        WHEN regexp_full_match(v, '[0-9]+') THEN left('{_NINES}', length(v))
        WHEN regexp_full_match(v, '[0-9]+[.][0-9]+')
        THEN concat(left('{_NINES}', strpos(v, '.') - 1), '.', left('{_NINES}', length(v) - strpos(v, '.')))
        WHEN regexp_full_match(v, '[0-9]{{{{4}}}}-[0-9]{{{{2}}}}-[0-9]{{{{2}}}}') THEN '9999-99-99'
        ELSE translate(v, '012345678', '999999999') END AS shape,
    count(*), min(v), max(v), bool_or(ends_with(v, '0')), max(substr(v, 3)), max(substr(v, 4))
    FROM (SELECT name, trim(value) AS v FROM (UNPIVOT ({{rows}}) ON COLUMNS(*) INTO NAME name VALUE value))
    WHERE v <> '' GROUP BY 1, 2
"""
"""Shapes of values. `translate` alone would do, and takes five times as long as what spares it the usual forms."""


@dataclass(frozen=True)
class TextRows:
    """Rows of texts in some file.

    Args:
        query: SQL that gives them, its columns called `c0`, `c1` and so on.
        path: the only parameter of that SQL.
        names: of the columns, no two alike.
        fixed: readings of columns whose types the file itself says, by their places.
    """

    query: str
    path: str
    names: Sequence[str]
    fixed: Mapping[int, ColumnReading]


@dataclass(frozen=True)
class Sample:
    """The first rows, in the table `SAMPLED`."""

    complete: bool
    """Whether there are no others."""
    shapes: Mapping[int, Sequence[Shape]]
    """Shapes of the values of each column."""

    def choose_readings(self) -> list[ColumnReading]:
        """Choose how the columns are read without options or other evidence."""
        known = find_conventions(list(self.shapes.values()))
        return [choose_reading(shapes, known) for shapes in self.shapes.values()]


def take_sample(connection: duckdb.DuckDBPyConnection, query: str, path: str, width: int) -> Sample:
    """Read the first rows into the table `SAMPLED`."""
    most = max(_LEAST_ROWS, min(SAMPLED_ROWS, SAMPLED_CELLS // max(width, 1)))
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {SAMPLED} AS SELECT * FROM ({query}) LIMIT {most + 1}", [path])
    (rows,) = connection.execute(f"SELECT count(*) FROM {SAMPLED}").fetchone() or (0,)
    return Sample(rows <= most, find_shapes(connection, SAMPLED, range(width)))


def find_shapes(
    connection: duckdb.DuckDBPyConnection, rows: str, places: Sequence[int], parameters: Sequence[str] = ()
) -> dict[int, Sequence[Shape]]:
    """The shapes of the values in some columns of a table, or of a query in brackets."""
    found: dict[int, list[Shape]] = {place: [] for place in places}
    for start in range(0, len(places), _GROUPED_COLUMNS):
        group = places[start : start + _GROUPED_COLUMNS]
        chosen = f"SELECT {', '.join(f'c{place}' for place in group)} FROM {rows}"
        for name, *shape in connection.execute(_SHAPES.format(rows=chosen), list(parameters)).fetchall():
            found[int(name[1:])].append(Shape(*shape))
    return {**found}


def copy_with_types(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    source: TextRows,
    sample: Sample,
    choices: Mapping[str, Choice],
) -> list[ColumnReading]:
    """Make a table of rows of texts and return how each of its columns was read.

    Args:
        connection: to the database that it is made in, with the table `SAMPLED`.
        table: its name, in quotation marks.
        source: the rows.
        sample: what `SAMPLED` has of them.
        choices: what the operator said of columns, by their names.

    Raises:
        ValueError: a column is not what the operator said.
        duckdb.Error: the file cannot be read.
    """
    free = [place for place in range(len(source.names)) if place not in source.fixed]
    shapes = dict(sample.shapes)

    def choose() -> list[ColumnReading]:
        known = find_conventions([shapes[place] for place in free])
        return [
            source.fixed[place] if place in source.fixed else choose_reading(shapes[place], known, choices.get(name))
            for place, name in enumerate(source.names)
        ]

    readings, whole = choose(), sample.complete
    if not whole and any(reading.open or reading.by_others for reading in readings):
        shapes |= _find_all_shapes(connection, source, readings, free)
        readings, whole = choose(), True
    while True:
        _require_choices(source.names, readings, choices)
        try:
            _create_table(connection, table, source, readings, sample)
            return readings
        except duckdb.InvalidInputException as error:
            misfit = _MISFIT.search(str(error))
            if misfit is None:
                raise
        place = int(misfit[1])
        if whole:
            readings[place] = ColumnReading(note=describe_misfit(readings[place]))
        else:
            shapes |= _find_all_shapes(connection, source, readings, free)
            readings, whole = choose(), True


def _find_all_shapes(
    connection: duckdb.DuckDBPyConnection, source: TextRows, readings: Sequence[ColumnReading], free: Sequence[int]
) -> dict[int, Sequence[Shape]]:
    """The shapes of all values of the columns that are not plain text already."""
    places = [place for place in free if readings[place].type != "VARCHAR" or readings[place].note]
    return find_shapes(connection, f"({source.query})", places, [source.path])


def _require_choices(names: Sequence[str], readings: Sequence[ColumnReading], choices: Mapping[str, Choice]) -> None:
    for name, reading in zip(names, readings, strict=True):
        choice = choices.get(name)
        if choice not in (None, "text") and reading.type == "VARCHAR":
            why = reading.note or "text of another kind"
            raise ValueError(f"its column {name!r} cannot be read as {choice!r}: it is {why}")


def _create_table(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    source: TextRows,
    readings: Sequence[ColumnReading],
    sample: Sample,
) -> None:
    rows, parameters = (SAMPLED, []) if sample.complete else (f"({source.query})", [source.path])
    connection.execute(f"CREATE TABLE {table} AS {build_typed_query(rows, source.names, readings)}", parameters)


def build_typed_query(rows: str, names: Sequence[str], readings: Sequence[ColumnReading]) -> str:
    """SQL of the rows with their types, which fails and names the place of a column where a value does not fit.

    Each step is a query around the one before, so that no text is trimmed and no value is cast twice.
    """
    typed = {place: reading for place, reading in enumerate(readings) if reading.type != "VARCHAR"}
    plain = [f"c{place}" for place in range(len(readings)) if place not in typed]
    texts = [f"nullif(trim(c{place}), '') AS t{place}" for place in typed]
    values = [f"CAST({one.value} AS {one.type}) AS v{at}".replace("{text}", f"t{at}") for at, one in typed.items()]
    columns = [
        f"{_check_value(place, reading) if place in typed else f'c{place}'} AS {quote_identifier(name)}"
        for place, (name, reading) in enumerate(zip(names, readings, strict=True))
    ]
    kept = ", ".join((*plain, *(f"t{place}" for place in typed), *values))
    query = f"SELECT {kept} FROM (SELECT {', '.join((*plain, *texts))} FROM {rows})"
    return f"SELECT {', '.join(columns)} FROM ({query})"


def _check_value(place: int, reading: ColumnReading) -> str:
    check = reading.check.replace("{text}", f"t{place}").replace("{value}", f"v{place}")
    return f"CASE WHEN t{place} IS NULL THEN NULL WHEN {check} THEN v{place} ELSE error('elcano misfit {place}') END"
