"""Graphs by name: in the JSON of a graph a branch may be a name instead of a graph, `iterative` or `my_graph@3`.

Names are for people who write graphs. A graph that is kept or run has the graphs themselves in their places, so nothing
that happens to a name later changes it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.size import MAX_DEPTH, MAX_GRAPHS

_NAME: Final = re.compile(r"([a-z][a-z0-9_]{0,47})(?:@([1-9][0-9]{0,8}))?")


class GraphName(NamedTuple):
    """A graph, and which version of it."""

    name: str
    version: int | None = None
    """None: the latest."""

    @classmethod
    def read(cls, text: str) -> "GraphName | None":
        """What `text` names; None if no graph can have such a name."""
        found = _NAME.fullmatch(text)
        return cls(found[1], int(found[2]) if found[2] else None) if found else None

    def __str__(self) -> str:
        return self.name if self.version is None else f"{self.name}@{self.version}"


def branches_named(graph: object) -> dict[str, str]:
    """The names that stand for branches in the JSON of a graph, each by the place of its first use.

    Of one that has more branches than a graph may have, the first: it is refused for that anyway.
    """
    found: dict[str, str] = {}
    for place, name in _iter_named_branches(graph, "branches", MAX_DEPTH):
        if name not in found.values():
            found[place] = name
        if len(found) >= MAX_GRAPHS:
            break
    return found


def with_branches(graph: Any, known: Mapping[str, ResearchGraph]) -> Any:
    """The JSON of a graph with graphs for the names that are `known`."""
    return _replace_named_branches(graph, known, MAX_DEPTH)


def _iter_named_branches(graph: object, at: str, depth: int) -> Iterator[tuple[str, str]]:
    for name, branch in _get_branches(graph).items():
        place = f"{at}.{name}"
        if isinstance(branch, str):
            yield place, branch
        elif depth > 1:
            yield from _iter_named_branches(branch, f"{place}.branches", depth - 1)


def _replace_named_branches(graph: Any, known: Mapping[str, ResearchGraph], depth: int) -> Any:
    branches = _get_branches(graph)
    if not branches or depth < 1:
        return graph
    found = {
        name: known[branch].model_dump(mode="json")
        if isinstance(branch, str) and branch in known
        else _replace_named_branches(branch, known, depth - 1)
        for name, branch in branches.items()
    }
    return {**graph, "branches": found}


def _get_branches(graph: object) -> Mapping[str, Any]:
    branches = graph.get("branches") if isinstance(graph, Mapping) else None
    return branches if isinstance(branches, Mapping) else {}
