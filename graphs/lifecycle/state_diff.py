"""What differs between two states of a run, field by field, in few words: the states themselves are elsewhere, whole.

Lists of a state grow at their end, so of two lists the parts are compared place by place, and what one has beyond the
other was appended or cut off. The output of a node is one value: it is replaced, not edited.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final, Literal, TypeAlias

from elcano.graphs.frozen import Frozen, Json
from elcano.graphs.state.state import ResearchState
from elcano.graphs.text import shorten_text

MOST_CHANGES: Final = 200
"""Changes that are told of one step, and parts that are told of one change."""
VALUE_CHARACTERS: Final = 300
"""A text that is longer is cut; anything else that is larger is told by its size."""
_WHOLE: Final = ("outputs", "values", "sections")
"""Fields each of whose parts is one value."""

How: TypeAlias = Literal["set", "removed", "appended", "cut_off"]
"""`set`: it has another value; `appended` and `cut_off`: of a list."""


class Change(Frozen):
    """One difference between two states."""

    field: str
    """Where: `evidence`, `outputs.judge`, `conversation[0].gap`."""
    how: How
    before: Json = None
    """In short; null if there was nothing."""
    after: Json = None
    """In short; null if there is nothing."""
    items: tuple[Json, ...] = ()
    """Of a list what was appended or cut off, each part in short: evidence by its id and title."""
    count: int = 1
    """How many parts that were; `items` tells at most so many as may be told."""


class Changes(Frozen):
    """All differences, or the first of them."""

    changes: tuple[Change, ...]
    more: bool = False
    """There are further ones."""


def compare_states(before: ResearchState, after: ResearchState) -> Changes:
    """What the state `after` has that `before` had not, and the other way round."""
    found = tuple(islice(_of_states(before, after), MOST_CHANGES + 1))
    return Changes(changes=found[:MOST_CHANGES], more=len(found) > MOST_CHANGES)


def _of_states(before: ResearchState, after: ResearchState) -> Iterator[Change]:
    for name in ResearchState.model_fields:
        if getattr(before, name) is not getattr(after, name):  # what was not replaced needs no writing out
            one, other = (state.model_dump(mode="json", include={name})[name] for state in (before, after))
            yield from _iter_value_changes(name, one, other)


def _iter_value_changes(field: str, before: Json, after: Json) -> Iterator[Change]:
    if before == after:
        return
    whole = field.partition(".")[0].partition("[")[0] in _WHOLE and field not in _WHOLE
    if isinstance(before, dict) and isinstance(after, dict) and not whole:
        for name in dict.fromkeys((*before, *after)):
            inner = f"{field}.{name}"
            if name not in after:
                yield Change(field=inner, how="removed", before=shorten_value(before[name]))
            elif name not in before:
                yield Change(field=inner, how="set", after=shorten_value(after[name]))
            else:
                yield from _iter_value_changes(inner, before[name], after[name])
    elif isinstance(before, list) and isinstance(after, list) and not whole:
        for place, (one, other) in enumerate(zip(before, after, strict=False)):
            yield from _iter_value_changes(f"{field}[{place}]", one, other)
        yield from _iter_extra_items(field, "appended", after[len(before) :])
        yield from _iter_extra_items(field, "cut_off", before[len(after) :])
    else:
        yield Change(field=field, how="set", before=shorten_value(before), after=shorten_value(after))


def _iter_extra_items(field: str, how: How, parts: list[Json]) -> Iterator[Change]:
    if parts:
        items = tuple(shorten_value(part) for part in parts[:MOST_CHANGES])
        yield Change(field=field, how=how, items=items, count=len(parts))


def shorten_value(value: Json) -> Json:
    """A value as it is shown in a list: evidence by its id and title, long texts cut, large parts by their size."""
    match value:
        case str():
            return shorten_text(value, VALUE_CHARACTERS)
        case dict() if value.keys() >= {"id", "title", "excerpt"}:
            return {name: value[name] for name in ("id", "title", "source", "duplicate_of") if value.get(name)}
        case dict():
            return {
                shorten_text(name, VALUE_CHARACTERS): _shorten_part(part) for name, part in islice(value.items(), 20)
            }
        case list():
            return [_shorten_part(part) for part in value] if len(value) <= 5 else f"{len(value):,} parts"
        case _:
            return value


def _shorten_part(value: Json) -> Json:
    """A part of a value, itself if it is small."""
    match value:
        case str():
            return shorten_text(value, VALUE_CHARACTERS)
        case dict() | list() if value:
            return f"{len(value):,} parts"
        case _:
            return value
