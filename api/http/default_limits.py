"""Describes the default limits of runs in words, generated from the code so that no figure is written down twice."""

from functools import cache
from typing import Literal, TypeAlias

from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.modes import MODES

CountedLimitName: TypeAlias = Literal["tokens", "seconds", "iterations", "steps", "stalls", "resets", "sections"]


@cache
def describe_defaults(limit: CountedLimitName) -> str:
    """The default of a limit: `200`, or ``100,000 (`simple`), 200,000 (`iterative`)`` where modes differ."""
    modes: dict[float, list[str]] = {}
    for mode, graph in MODES.items():
        modes.setdefault(getattr(default_limits(graph), limit), []).append(f"`{mode}`")
    if len(modes) == 1:
        return "".join(f"{value:,.0f}" for value in modes)
    return ", ".join(f"{value:,.0f} ({', '.join(modes[value])})" for value in sorted(modes))
