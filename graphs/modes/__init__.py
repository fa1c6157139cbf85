"""The graphs that a run can be started with by name: the modes of the plugins, and `auto`, which chooses among them."""

from collections.abc import Iterator, Mapping
from typing import Final

from elcano.graphs.modes.auto import NAME, auto_graph
from elcano.graphs.modes.mode import Mode
from elcano.graphs.modes.mode_choices import PLUGIN_MODES
from elcano.graphs.spec.graph import ResearchGraph

DEFAULT_MODE: Final = NAME
"""Of a run of which nobody says it."""
_AUTO_PURPOSE: Final = "Any question: it is read first, and goes the way that fits it, which says why."


class _ModeGraphs(Mapping[str, ResearchGraph]):
    """The graphs of all modes, in the order in which they are shown."""

    def __getitem__(self, name: str) -> ResearchGraph:
        return auto_graph() if name == NAME else PLUGIN_MODES[name].graph

    def __iter__(self) -> Iterator[str]:
        yield NAME
        yield from PLUGIN_MODES

    def __len__(self) -> int:
        return 1 + len(PLUGIN_MODES)


MODES: Final[Mapping[str, ResearchGraph]] = _ModeGraphs()
"""The graphs that a run can be started with, by name."""


def list_aliases() -> dict[str, str]:
    """Other names of modes, each with the mode's own."""
    return {alias: mode.name for mode in PLUGIN_MODES.values() for alias in mode.aliases}


def mode_named(text: str) -> ResearchGraph | None:
    """The built-in graph of this name or alias; None if there is none."""
    return MODES.get(list_aliases().get(text, text))


def mode_of(name: str) -> Mode:
    """Return the description of the built-in graph `name`, which is its name and no alias."""
    return Mode(auto_graph(), _AUTO_PURPOSE) if name == NAME else PLUGIN_MODES[name]
