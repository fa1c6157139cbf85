"""Checks whether a mode can do what a run asks of it, and whether the run's tenant may use what it names.

A mode is judged by limits, sources, models, and what workers lack. A run that chooses its mode is given the modes which
it
cannot choose, and why: before it starts, and when it chooses.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from elcano.graphs.added_steps import without_clarifying_step
from elcano.graphs.catalogue.sources import DATABASE
from elcano.graphs.checks.budget_limits import find_budget_faults
from elcano.graphs.checks.callees import required_extras
from elcano.graphs.contracts import CHAIN_MODES, Engine
from elcano.graphs.extras import install_command
from elcano.graphs.graph_traits import GraphTraits
from elcano.graphs.mode_choice import MODES, PLUGIN_MODES, auto_graph, list_parts, list_ways
from elcano.graphs.model_names import OFFLINE, ModelChoice
from elcano.graphs.spec.graph import AgentNode, ToolNode
from elcano.graphs.state.budget import Limits
from elcano.graphs.tenants import Allowance
from elcano.service.errors import FieldFault
from elcano.service.runs.model_checks import explain_mode_obstacle, list_called_models
from elcano.service.source_survey import list_all_sources, list_barred_modes
from elcano.settings.settings import Settings

ANY_MODEL: Final = ModelChoice()
"""The choice of a run that names no model."""
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
    specs = list_all_sources(settings)
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
        elif obstacle := explain_mode_obstacle(part, sources, models, settings):
            found[name] = obstacle
        elif faults := find_budget_faults(auto_graph((name,)), limits):
            found[name] = f"the budget does not allow it, {faults[0]}"
    return found


def find_no_mode_faults(limits: Limits, barred: Mapping[str, str]) -> list[FieldFault]:
    """Why a run that chooses its mode has none to choose; none of its faults if one mode is not `barred`."""
    if len(barred) < len(list_parts()):
        return []
    over = [FieldFault(field="budget", message=fault) for fault in list_least_faults(limits)]
    return over or [FieldFault(field="mode", message=_explain_no_mode_left(barred))]


def list_least_faults(limits: Limits) -> tuple[str, ...]:
    """Explain why limits are too low for every mode, by what the cheapest mode that suits any question needs."""
    cheapest = next(name for name, way in list_ways().items() if not way.instead)
    return find_budget_faults(auto_graph((cheapest,)), limits)


def _explain_no_mode_left(barred: Mapping[str, str]) -> str:
    """Why a run that chooses its mode has none to choose: each reason once, with the modes that it is of."""
    reasons = {why: [mode for mode, other in barred.items() if other == why] for why in barred.values()}
    return "no mode can be chosen here: " + "; ".join(f"{', '.join(modes)}: {why}" for why, modes in reasons.items())


def find_allowance_faults(
    allowance: Allowance, graph: GraphTraits, models: ModelChoice, settings: Settings
) -> list[FieldFault]:
    """List the names in a run that its tenant may not use: its mode, its agents and tools, its models.

    Sources, databases and tool servers need no look: those that a tenant may not use are unknown to it.
    """
    walked = graph.graph
    is_mode = MODES.get(walked.name) == without_clarifying_step(walked)
    field = "mode" if is_mode else "graph"
    faults: list[FieldFault] = []
    if is_mode and (why := list_barred_modes(allowance).get(walked.name)) is not None:
        faults.append(FieldFault(field=field, message=why))
    else:
        faults += [FieldFault(field=field, message=text) for text in _find_barred_calls(allowance, graph)]
    for called in list_called_models(graph.callees, models, settings) if allowance.models is not None else ():
        for name in called.names:
            if name != OFFLINE and not allowance.allows("models", name):
                faults.append(FieldFault(field=called.field, message=allowance.explain_refusal("models", name)))
    return list(dict.fromkeys(faults))


def _find_barred_calls(allowance: Allowance, graph: GraphTraits) -> list[str]:
    agents: Mapping[str, str] = allowance.find_barred_parts("agents")
    tools: Mapping[str, str] = allowance.find_barred_parts("tools")
    nodes = (node for each in graph.graph.all_graphs() for node in each.nodes)
    called = (
        agents.get(node.agent) if isinstance(node, AgentNode) else tools.get(node.tool)
        for node in nodes
        if isinstance(node, AgentNode | ToolNode)
    )
    return [allowance.explain_refusal("plugins", plugin) for plugin in dict.fromkeys(filter(None, called))]
