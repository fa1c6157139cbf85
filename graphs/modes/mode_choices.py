"""The modes among which `auto` chooses, and which one is taken in place of one that cannot be.

Those for one kind of question come first, then those for any question, the cheapest of these first.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from elcano.graphs.checks.costs import estimate_graph_costs
from elcano.graphs.modes.mode import Mode
from elcano.graphs.registry import Registry

PLUGIN_MODES: Final[Registry[Mode]] = Registry("modes", Mode)
"""Every mode but `auto`, by name."""
USUAL: Final = "iterative"
"""The mode of a question of which nothing better is known."""


def list_ways() -> Mapping[str, Mode]:
    """The modes that can be chosen, by name."""
    chosen = [mode for mode in PLUGIN_MODES.values() if mode.when]
    for_any = sorted(
        (mode for mode in chosen if not mode.instead), key=lambda mode: estimate_graph_costs(mode.graph).usual.tokens
    )
    return {mode.name: mode for mode in (*(one for one in chosen if one.instead), *for_any)}


def describe_modes(names: Iterable[str]) -> dict[str, str]:
    """Return when each of these modes fits, by name; unknown names are left out."""
    return {name: PLUGIN_MODES[name].when for name in names if name in PLUGIN_MODES}


def instead_of(wanted: str, ways: Sequence[str], barred: Collection[str]) -> str:
    """Return the mode to take if `wanted` is barred: its own substitute, else the one before it that fits any question.

    Where there is none, the first such mode that is open; where there is none either, the first that is. If all are
    barred, as though none were.
    """
    open_ways = [way for way in ways if way not in barred] or [*ways]
    said = {way: PLUGIN_MODES[way].instead for way in ways if way in PLUGIN_MODES}
    while wanted not in open_ways and said.get(wanted) in ways:
        wanted = said[wanted]
    if wanted in open_ways:
        return wanted
    usual = [way for way in open_ways if not said.get(way)]
    before = [way for way in usual if ways.index(way) < ways.index(wanted)]
    return [*before[-1:], *usual, *open_ways][0]
