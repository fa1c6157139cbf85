"""Keys that a run's models lack, told before the run instead of by its failure.

Only the worker knows its environment. Where all workers are started in the API's own (`shared_environment`), what is
not set here is certainly not set there; elsewhere nothing is said.
"""

from collections.abc import Iterable, Iterator

from elcano.api.http.errors import FieldFault, RequestInvalid
from elcano.graphs.contracts import ModelChoice, ResearchInput
from elcano.graphs.model_names import PROVIDERS, address_of, chosen_model, model_names, provider
from elcano.graphs.spec.graph import AgentNode, ResearchGraph
from elcano.settings import Settings, is_set


def key_faults(run: ModelChoice, graph: ResearchGraph, settings: Settings) -> Iterable[FieldFault]:
    """Every model that an agent of `graph` would call and that has no key: once, where it was named.

    Each model of a fallback list needs its key, because the list is made as a whole.
    """
    server = ModelChoice(default=settings.model, by_agent=settings.agent_models)
    faults: dict[tuple[str, str], FieldFault] = {}
    for agent, own in asked_of(graph):
        field = field_of(agent, run, own)
        for name in model_names(own or chosen_model(agent, run, server)):
            if (message := _missing(name, settings)) is not None:
                faults.setdefault((field, name), FieldFault(field=field, message=message))
    return faults.values()


def require_keys(asked: ResearchInput, settings: Settings) -> None:
    """Sees that each model of a run has its key, where that can be known.

    Raises:
        RequestInvalid: one has none.
    """
    if settings.shared_environment and (missing := list(key_faults(asked.models, asked.graph, settings))):
        raise RequestInvalid(missing)


def asked_of(graph: ResearchGraph) -> list[tuple[str, str]]:
    """The agents that a graph and its branches ask, in order, each with the model that its node names, or nothing."""
    return sorted(set(_asked(graph)))


def _asked(graph: ResearchGraph) -> Iterator[tuple[str, str]]:
    for node in graph.nodes:
        if isinstance(node, AgentNode):
            yield node.agent, (node.limits.model if node.limits is not None else None) or ""
    for branch in graph.branches.values():
        yield from _asked(branch)


def field_of(agent: str, run: ModelChoice, own: str = "") -> str:
    """Where in a request the model of an agent was named; `own`: the one that its node names."""
    if own:
        return "graph"
    if run.by_agent.get(agent):
        return f"model.by_agent.{agent}"
    return "model.default" if run.default else "model"


def _missing(name: str, settings: Settings) -> str | None:
    variables = PROVIDERS.get(provider(name), ())
    if address_of(name, settings.model_base_url, settings.model_urls):
        return None  # a server of one's own may need no key
    if not variables or any(is_set(variable) for variable in variables):
        return None
    return (
        f"{name!r} cannot be called: set {' or '.join(variables)} where the server runs and start it again, or choose "
        "another model"
    )
