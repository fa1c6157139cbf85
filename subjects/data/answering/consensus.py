"""Results of parallel paths as one: rows belong together by their keys, values stand side by side and are compared.

Pure. Every value of the merged result is a cell of a path or arithmetic over two of them, so that numbers prove
themselves on it. Nothing is chosen between two values of one thing: it is left empty, and said.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Context
from typing import Final

from elcano.graphs.errors import InputInvalid
from elcano.graphs.text import format_count, number_repeated
from elcano.subjects.data.databases.values import parse_decimal
from elcano.subjects.data.query_models import Disagreement
from elcano.subjects.data.results import ShownRows, cell_text
from elcano.subjects.data.tables import Cell, Kind, ResultColumn, ResultTable

Key = tuple[Cell, ...]
VALUE: Final = "value"
"""The common name of the one measure that each path names differently."""
PATH: Final = "path"
"""The column that says which path a row is of, where paths are rows."""
_DIFFERENCE: Final = re.compile(r"(?P<measure>.+): (?P<path>.+) less (?P<first>.+)", re.DOTALL)
_EXACT: Final = Context(prec=50)
_RATIO: Final = Context(prec=15)


@dataclass(frozen=True)
class Path:
    """A path that has a result."""

    name: str
    table: ResultTable
    artifact: str


@dataclass
class MergedPaths:
    """The merged results of the paths."""

    table: ResultTable
    disagreements: list[Disagreement] = field(default_factory=list)
    """All of them, in the order of the rows."""


@dataclass(frozen=True)
class _Columns:
    keys: tuple[str, ...]
    measures: tuple[str, ...]
    others: tuple[str, ...]
    """Columns that all paths have and that are neither keys nor measures."""


def merge_path_tables(paths: Sequence[Path], keys: Sequence[str] = ()) -> MergedPaths:
    """The results of paths, at least one, as one result.

    Args:
        paths: the first is what the others are compared with.
        keys: columns by which rows belong together; empty: those that all paths have and that are no measures.

    Raises:
        InputInvalid: a key is no column of every path.
    """
    paths = _align_measure_names(paths)
    columns = _classify_columns(paths, keys)
    found: list[Disagreement] = []
    groups = _group_paths_by_name(paths)
    rows_of = {name: _merge_group_rows(group, columns, found) for name, group in groups.items()}
    order = list(dict.fromkeys(key for rows in rows_of.values() for key in rows))
    names = list(groups)
    for key in order:
        for name in names:
            if key not in rows_of[name]:
                gap = f"{name} has no row for {_describe_row_key(key)}" if columns.keys else f"{name} has no row"
                found.append(Disagreement(kind="missing", key=_format_key_cells(key), told=f"{gap}."))
    heads = list(_build_merged_columns(columns, names, paths))
    rows = tuple(tuple(_build_merged_row(key, columns, names, rows_of)) for key in order)
    first = paths[0].table
    table = ResultTable(
        database=", ".join(dict.fromkeys(path.table.database for path in paths)),
        dialect=first.dialect,
        sql="",
        columns=tuple(
            column.model_copy(update={"name": name})
            for column, name in zip(heads, number_repeated(column.name for column in heads), strict=True)
        ),
        rows=rows,
        truncated=any(path.table.truncated for path in paths),
        at=max(path.table.at for path in paths),
        parents=tuple(path.artifact for path in paths),
        notes=tuple(dict.fromkeys(note for path in paths for note in path.table.notes)),
    )
    for key in order:
        found.extend(_find_value_disagreements(key, columns, names, rows_of))
    return MergedPaths(table, found)


def told_of(merged: MergedPaths, names: Sequence[str], gaps: Sequence[str]) -> str:
    """Describe in sentences what was merged and with what outcome."""
    rows = len(merged.table.rows)
    text = (
        f"{format_count(rows, 'row')} of {format_count(len(names), 'path')} "
        f"({', '.join(names)}) were merged by their keys."
    )
    kinds = {"two_values": "two values for one thing", "key_twice": "a key twice", "missing": "a missing row"}
    for kind, words in kinds.items():
        if count := sum(one.kind == kind for one in merged.disagreements):
            text += f" {format_count(count, 'time')}: {words}."
    return " ".join((text, *gaps))


def spread_paths(table: ResultTable) -> ResultTable:
    """A merged result with a row for each path instead of columns, so that a chart can set them side by side.

    Only the first measure is spread; any other result is returned as it is.
    """
    names = [column.name for column in table.columns]
    named = [found for name in names if (found := _DIFFERENCE.fullmatch(name)) is not None] if table.parents else []
    if not named:
        return table
    measure, first = named[0]["measure"], named[0]["first"]
    paths = dict.fromkeys([first, *(one["path"] for one in named if one["measure"] == measure)])
    places = {path: names.index(one) for path in paths if (one := f"{measure} ({path})") in names}
    if len(places) < 2:
        return table
    computed = {f"{one['measure']} ({path})" for one in named for path in (one["first"], one["path"])}
    computed |= {found[0] for found in named} | {f"{one['measure']}: {one['path']} by {one['first']}" for one in named}
    kept = [at for at, name in enumerate(names) if name not in computed]
    kind = table.columns[next(iter(places.values()))].kind
    columns = (
        *(table.columns[at] for at in kept),
        ResultColumn(name=PATH, kind="text"),
        ResultColumn(name=measure, kind=kind),
    )
    rows = ((*(row[at] for at in kept), path, row[place]) for row in table.rows for path, place in places.items())
    return table.model_copy(update={"columns": columns, "rows": tuple(rows)})


def _classify_columns(paths: Sequence[Path], keys: Sequence[str]) -> _Columns:
    shapes = [ShownRows.of_table(path.table) for path in paths]
    common = [name for name in shapes[0].names if all(name in shape.names for shape in shapes[1:])]
    for name in keys:
        if name not in common:
            lacking = [path.name for path, shape in zip(paths, shapes, strict=True) if name not in shape.names]
            raise InputInvalid("keys", f"no column {name!r} in the result of {', '.join(lacking)}")
    measures = [name for name in common if all(_is_measure_column(shape, name) for shape in shapes)]
    of_path = set() if keys else {name for name in common if _names_path(name, shapes)}
    own = tuple(keys) or tuple(name for name in common if name not in measures and name not in of_path)
    others = tuple(name for name in common if name not in own and name not in measures and name not in of_path)
    return _Columns(own, tuple(name for name in measures if name not in own), others)


def _align_measure_names(paths: Sequence[Path]) -> Sequence[Path]:
    """The paths; if each has one measure, and it is called otherwise in each, with one name for it."""
    shapes = [ShownRows.of_table(path.table) for path in paths]
    if any(len(shape.measures) != 1 for shape in shapes):
        return paths
    names = {shape.names[shape.measures[0]] for shape in shapes}
    if len(names) == 1 or any(VALUE in shape.names for shape in shapes):
        return paths
    return [_rename_measure(path, shape.measures[0]) for path, shape in zip(paths, shapes, strict=True)]


def _rename_measure(path: Path, at: int) -> Path:
    columns = list(path.table.columns)
    columns[at] = columns[at].model_copy(update={"name": VALUE})
    return replace(path, table=path.table.model_copy(update={"columns": tuple(columns)}))


def _names_path(name: str, shapes: Sequence[ShownRows]) -> bool:
    """Whether a column says no more than which path a row is of: one value in each, another one in another."""
    said = [{row[shape.names.index(name)] for row in shape.rows} for shape in shapes]
    return len(shapes) > 1 and all(len(one) == 1 for one in said) and len(set().union(*said)) == len(shapes)


def _is_measure_column(shape: ShownRows, name: str) -> bool:
    """Whether a column is a measure; one without any value may be."""
    at = shape.names.index(name)
    empty = all(row[at] is None for row in shape.rows)
    return at in shape.measures or (empty and shape.kinds[at] not in ("text", "date", "timestamp", "boolean"))


def _group_paths_by_name(paths: Sequence[Path]) -> dict[str, list[Path]]:
    """Paths by their names: those of one name were asked the same."""
    groups: dict[str, list[Path]] = {}
    for path in paths:
        groups.setdefault(path.name, []).append(path)
    return groups


def _merge_group_rows(
    group: Sequence[Path], columns: _Columns, found: list[Disagreement]
) -> dict[Key, dict[str, Cell]]:
    """Merge the rows of one path name by key; a value on which its tables disagree becomes None."""
    merged: dict[Key, dict[str, Cell]] = {}
    for path in group:
        places = {column.name: at for at, column in enumerate(path.table.columns)}
        own: set[Key] = set()
        for row in path.table.rows:
            key = tuple(row[places[name]] for name in columns.keys)
            values = {name: row[places[name]] for name in (*columns.measures, *columns.others)}
            before = merged.setdefault(key, values)
            kind = "key_twice" if key in own else "two_values"
            own.add(key)
            if before is values:
                continue
            for name, value in values.items():
                if not _is_same_cell(before[name], value):
                    conflict = f"{path.name} has two values of {name} for {_describe_row_key(key)}: "
                    conflict += f"{cell_text(before[name])} and {cell_text(value)}."
                    found.append(
                        Disagreement.model_validate(
                            {"kind": kind, "key": _format_key_cells(key), "column": name, "told": conflict}
                        )
                    )
                    before[name] = None
    return merged


def _build_merged_columns(columns: _Columns, names: Sequence[str], paths: Sequence[Path]) -> Iterator[ResultColumn]:
    kinds: dict[str, Kind] = {}
    for path in paths:
        for column in path.table.columns:
            before = kinds.setdefault(column.name, column.kind)
            if {before, column.kind} == {"integer", "decimal"}:
                kinds[column.name] = "decimal"
    for name in (*columns.keys, *columns.others):
        yield ResultColumn(name=name, kind=kinds[name])
    for name in columns.measures:
        for of in names:
            yield ResultColumn(name=f"{name} ({of})" if len(names) > 1 else name, kind=kinds[name])
        for of in names[1:]:
            yield ResultColumn(name=f"{name}: {of} less {names[0]}", kind="decimal")
            yield ResultColumn(name=f"{name}: {of} by {names[0]}", kind="decimal")


def _build_merged_row(
    key: Key, columns: _Columns, names: Sequence[str], rows_of: Mapping[str, Mapping[Key, Mapping[str, Cell]]]
) -> Iterator[Cell]:
    yield from key
    for name in columns.others:
        said = [rows_of[path][key][name] for path in names if key in rows_of[path]]
        yield said[0] if all(_is_same_cell(said[0], one) for one in said) else None
    for name in columns.measures:
        values = [rows_of[path].get(key, {}).get(name) for path in names]
        yield from values
        first = parse_decimal(values[0])
        for value in map(parse_decimal, values[1:]):
            yield None if value is None or first is None else format(_EXACT.subtract(value, first), "f")
            yield None if value is None or not first else format(_RATIO.divide(value, first), "f")


def _find_value_disagreements(
    key: Key, columns: _Columns, names: Sequence[str], rows_of: Mapping[str, Mapping[Key, Mapping[str, Cell]]]
) -> Iterator[Disagreement]:
    """Yield disagreements between paths in columns that are not measures."""
    for name in columns.others:
        said = {path: rows_of[path][key][name] for path in names if key in rows_of[path]}
        values = list(said.values())
        if not all(_is_same_cell(values[0], one) for one in values):
            told = "; ".join(f"{path} says {cell_text(value)}" for path, value in said.items())
            yield Disagreement(
                kind="two_values",
                key=_format_key_cells(key),
                column=name,
                told=f"Of {name} for {_describe_row_key(key)}: {told}.",
            )


def _is_same_cell(one: Cell, other: Cell) -> bool:
    if one == other and isinstance(one, bool) == isinstance(other, bool):
        return True
    numbers = parse_decimal(one), parse_decimal(other)
    return None not in numbers and numbers[0] == numbers[1]


def _describe_row_key(key: Key) -> str:
    return ", ".join(cell_text(cell) for cell in key) or "its only row"


def _format_key_cells(key: Key) -> tuple[str, ...]:
    return tuple(cell_text(cell) for cell in key)
