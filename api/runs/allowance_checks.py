"""Lists the faults of a run that names something that its tenant may not use."""

from collections.abc import Mapping

from elcano.api.http.errors import FieldFault
from elcano.api.runs.model_checks import list_called_models
from elcano.api.source_survey import list_barred_modes
from elcano.graphs.added_steps import without_clarifying_step
from elcano.graphs.graph_traits import GraphTraits
from elcano.graphs.mode_choice import MODES
from elcano.graphs.model_names import OFFLINE, ModelChoice
from elcano.graphs.spec.graph import AgentNode, ToolNode
from elcano.graphs.tenants import Allowance
from elcano.settings.settings import Settings


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
