"""Which modes a run that chooses its mode cannot choose, and why: said before it starts, and by it when it chooses."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from elcano.api.runs.model_checks import find_obstacle, needs_language_model
from elcano.api.runs.source_availability import list_enabled_sources
from elcano.graphs.catalogue.sources import DATABASE, SOURCES
from elcano.graphs.checks.budget_limits import limit_faults
from elcano.graphs.checks.callees import required_extras
from elcano.graphs.contracts import CHAIN_MODES, Engine, ModelChoice
from elcano.graphs.extras import install_command
from elcano.graphs.modes import PLUGIN_MODES, auto_graph, list_parts, list_ways
from elcano.graphs.state.budget import Limits
from elcano.settings.settings import Settings

ANY_MODEL: Final = ModelChoice()
"""What a run chooses that names no model."""
_LACKING: Final[Mapping[str, str]] = {"data": "none of the sources that are searched is a database"}


def find_barred_modes(
    limits: Limits,
    sources: Sequence[str],
    settings: Settings,
    engine: Engine = "graph",
    lacking: Collection[str] = (),
    models: ModelChoice = ANY_MODEL,
) -> dict[str, str]:
    """By name the modes that a run within these limits and over these sources cannot choose.

    Each with the reason, as half a sentence that follows `cannot be chosen here:`. `lacking` are the extras that
    workers lack, `models` those that the run names.
    """
    found: dict[str, str] = {}
    specs = {**list_enabled_sources(settings), **SOURCES}
    kinds = {specs[name].kind if name in specs else "" for name in sources}
    for name, part in list_parts().items():
        way = PLUGIN_MODES[name]
        if engine == "chain" and name not in CHAIN_MODES:
            found[name] = "it runs on the graph engine alone (`use_graph`)"
        elif required := sorted(required_extras(part) & frozenset(lacking)):
            found[name] = f"a worker here lacks what it needs ({install_command(required[0])})"
        elif kinds == {DATABASE} and DATABASE not in way.kinds:
            found[name] = "all that is searched are databases, which `data` asks"
        elif way.kinds and kinds.isdisjoint(way.kinds):
            found[name] = _LACKING.get(name) or f"none of the sources that are searched has {' or '.join(way.kinds)}"
        elif needs_language_model(part, models, settings):
            found[name] = "it needs a language model (the run's `model`, or ELCANO_MODEL)"
        elif obstacle := find_obstacle(part, sources, models, settings):
            found[name] = obstacle
        elif faults := limit_faults(auto_graph((name,)), limits):
            found[name] = f"the budget does not allow it, {faults[0]}"
    return found


def least_faults(limits: Limits) -> list[str]:
    """Explain why limits are too low for every mode, by what the cheapest mode that suits any question needs."""
    cheapest = next(name for name, way in list_ways().items() if not way.instead)
    return limit_faults(auto_graph((cheapest,)), limits)
