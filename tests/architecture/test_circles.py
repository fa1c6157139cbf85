"""No circles: what a folder imports does not lead back to it, within a room and between rooms.

A module's folder is the package that it is in; one that stands at the top of a room, or of a plugin, stands for
itself. What imports each other can only be understood, tested and changed together.
"""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter

import pytest

from tests.architecture.test_rooms import HALLS, ROOT, imported, python_files


def modules() -> dict[str, str]:
    """Every module of the house by its name within `elcano`, with its source."""
    return {
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file.read_text("utf-8")
        for file in python_files()
    }


def folder(module: str) -> str:
    inner = module.removeprefix(room(module)).lstrip(".").split(".")
    return ".".join([room(module), *(inner[:-1] or inner)]).rstrip(".")


def room(module: str) -> str:
    """Its room or program; a plugin is one of its own."""
    first, *inner = module.split(".")
    return f"{first}.{inner[0]}" if first in HALLS and inner else first


@cache
def names_imported(source: str) -> tuple[str, ...]:
    """Kept: each test looks through the whole house."""
    return tuple(name for _, name in imported(ast.parse(source)))


def imports(sources: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Which module imports which, of our own."""
    for module, source in sources.items():
        for name in names_imported(source):
            target = name if name in sources else name.rpartition(".")[0]
            if target in sources:
                yield module, target


def circle_between_folders(sources: Mapping[str, str]) -> list[str]:
    """A circle of folders of one room, each with the one it is imported by before it; empty if there is none."""
    pairs = [(one, other) for one, other in imports(sources) if room(one) == room(other)]
    return circle([(folder(one), folder(other)) for one, other in pairs])


def circle_between_rooms(sources: Mapping[str, str]) -> list[str]:
    """The same for rooms and programs."""
    return circle([(room(one), room(other)) for one, other in imports(sources)])


def circle(pairs: list[tuple[str, str]]) -> list[str]:
    sorter = TopologicalSorter[str]()
    for one, other in pairs:
        if one != other:
            sorter.add(one, other)
    try:
        sorter.prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return found
    return []


def test_no_folder_leads_back_to_itself() -> None:
    sources = modules()
    assert {"graphs.agents", "subjects.data.databases"} <= {folder(module) for module in sources}
    assert circle_between_folders(sources) == []


def test_no_room_leads_back_to_itself() -> None:
    assert circle_between_rooms(modules()) == []


@pytest.mark.parametrize(
    "planted",
    [
        {"activities.sources.base": "from elcano.activities.agents.agent_activity import AgentActivities"},
        {"activities.calls.usage": "def f():\n    from elcano.activities.agents import asking"},
        {
            "activities.tools": "import elcano.activities.agents.agent_activity",
            "activities.sources.base": "import elcano.activities.tools",
        },
    ],
)
def test_a_planted_circle_of_folders_is_found(planted: dict[str, str]) -> None:
    sources = modules()
    for module, line in planted.items():
        sources[module] = f"{sources.get(module, '')}\n{line}\n"
    assert "activities.agents" in circle_between_folders(sources)


def test_a_planted_circle_of_rooms_is_found() -> None:
    sources = modules()
    sources["graphs.frozen"] += "\nfrom elcano.storage.store import Store\n"
    assert {"graphs", "storage"} <= set(circle_between_rooms(sources))


def test_a_module_at_the_top_of_a_room_stands_for_itself() -> None:
    sources = {"graphs.frozen": "", "graphs.contracts": "import elcano.graphs.state.state"}
    sources["graphs.state.state"] = "from elcano.graphs.frozen import Frozen"
    assert circle_between_folders(sources) == []
