"""What a run's agents lack to be asked, told before the run instead of by its failure: a model, or its key.

Only the worker knows its environment. Where all workers are started in the API's own (`shared_environment`), what is
not set here is certainly not set there; elsewhere nothing is said.
"""

from collections.abc import Iterable

from elcano.api.http.errors import FieldFault, RequestInvalid
from elcano.graphs.agents.listing import AGENTS
from elcano.graphs.agents.own import OwnAgent
from elcano.graphs.checks.references import unknown
from elcano.graphs.contracts import ModelChoice, ResearchInput
from elcano.graphs.model_names import OFFLINE, PROVIDERS, address_of, chosen_model, model_names, provider, with_own
from elcano.graphs.spec.graph import AgentNode, ResearchGraph
from elcano.settings import Settings, is_set


def key_faults(run: ModelChoice, graph: ResearchGraph, settings: Settings) -> Iterable[FieldFault]:
    """Every model that an agent of `graph` would call and that has no key: once, where it was named.

    Each model of a fallback list needs its key, because the list is made as a whole.
    """
    server = ModelChoice(default=settings.model, by_agent=settings.agent_models)
    faults: dict[tuple[str, str], FieldFault] = {}
    for agent, own in callees(graph).items():
        field, chosen = field_of(agent, run), with_own(run, agent, own)
        for name in model_names(chosen_model(agent, chosen, server)):
            if (message := _missing(name, settings)) is not None:
                faults.setdefault((field, name), FieldFault(field=field, message=message))
    return faults.values()


def require_models(asked: ResearchInput, settings: Settings) -> None:
    """Sees that each agent of a run has a model that can do its part, and that the model has its key.

    What is set for workers is known only where they have the API's environment.

    Raises:
        RequestInvalid: one has not; or a model is chosen for an agent that the run does not have.
    """
    called = callees(asked.graph)
    named = {*AGENTS, *called, *(name.partition("@")[0] for name in called)}
    wrong = [(name, text) for name in asked.models.by_agent for text in unknown("agent", name, named)]
    found = [FieldFault(field="model.by_agent", message=text) for _, text in wrong]
    found += _unable(asked, settings)
    if settings.shared_environment:
        found += key_faults(asked.models, asked.graph, settings)
    if found:
        raise RequestInvalid(found)


def _unable(asked: ResearchInput, settings: Settings) -> Iterable[FieldFault]:
    """Agents of one's own that the extractive model would be asked for: it has no rules for them."""
    server = ModelChoice(default=settings.model, by_agent=settings.agent_models)
    for name, own in callees(asked.graph).items():
        run = with_own(asked.models, name, own)
        chosen = chosen_model(name, run, ModelChoice()) or (
            chosen_model(name, run, server) if settings.shared_environment else ""
        )
        if own is not None and chosen and model_names(chosen)[0] == OFFLINE:
            message = (
                f"the agent {name!r} is your own and needs a language model, and `offline` has no rules for it: choose "
                f"one in the run's `model`, in the agent's, or with ELCANO_MODEL. `POST /v1/graphs/NAME/dry-run` and "
                "`elcano graph try` walk its graph without a model"
            )
            yield FieldFault(field=field_of(name, run), message=message)


def callees(graph: ResearchGraph) -> dict[str, OwnAgent | None]:
    """The agents that a graph and its branches ask, in order of their names, with what is a graph's own."""
    found = {
        node.agent: one.agents.get(node.agent)
        for one in graph.all_graphs()
        for node in one.nodes
        if isinstance(node, AgentNode)
    }
    return dict(sorted(found.items()))


def field_of(agent: str, run: ModelChoice) -> str:
    """Where in a request the model of an agent was named."""
    for name in (agent, agent.partition("@")[0]):
        if run.by_agent.get(name):
            return f"model.by_agent.{name}"
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
