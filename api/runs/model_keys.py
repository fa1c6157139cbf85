"""Checks that a run's agents can be called before the run starts: that each has a model, and the model a key.

Only the worker knows its environment. Where all workers are started in the API's own (`shared_environment`), what is
not set here is certainly not set there; elsewhere nothing is said.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from elcano.api.http.errors import FieldFault, RequestInvalid
from elcano.api.runs.database_graphs import asks_databases
from elcano.graphs.agents import sql_writer
from elcano.graphs.agents.agent_registry import AGENTS
from elcano.graphs.agents.own import OwnAgent
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.contracts import ModelChoice, ResearchInput
from elcano.graphs.model_names import (
    OFFLINE,
    PROVIDERS,
    address_of,
    chosen_model,
    model_names,
    parse_model_provider,
    with_own,
)
from elcano.graphs.spec.graph import AgentNode, ResearchGraph
from elcano.settings import Settings, is_set

SQL_WRITER: Final = sql_writer.AGENT.name


def key_faults(run: ModelChoice, graph: ResearchGraph, settings: Settings) -> Iterable[FieldFault]:
    """Every model that an agent of `graph` would call and that has no key: once, where it was named.

    Each model of a fallback list needs its key, because the list is made as a whole.
    """
    server = ModelChoice(default=settings.model, by_agent=settings.agent_models)
    faults: dict[tuple[str, str], FieldFault] = {}
    for agent, own, model in list_callees(graph):
        field, chosen = field_of(agent, run, model), with_own(run, agent, own)
        for name in model_names(model or chosen_model(agent, chosen, server)):
            if (message := _explain_missing_key(name, settings)) is not None:
                faults.setdefault((field, name), FieldFault(field=field, message=message))
    return faults.values()


def require_models(asked: ResearchInput, settings: Settings) -> None:
    """Sees that each agent of a run has a model that can do its part, and that the model has its key.

    What is set for workers is known only where they have the API's environment.

    Raises:
        RequestInvalid: one has not; or a model is chosen for an agent that the run does not have.
    """
    called = {one.agent for one in list_callees(asked.graph)}
    named = {*AGENTS, *called, *(name.partition("@")[0] for name in called)}
    wrong = [(name, text) for name in asked.models.by_agent for text in explain_unknown_name("agent", name, named)]
    found = [FieldFault(field="model.by_agent", message=text) for _, text in wrong]
    found += _find_unsupported_agents(asked, settings)
    found += _query_writer_faults(asked, settings)
    if settings.shared_environment:
        found += key_faults(asked.models, asked.graph, settings)
    if found:
        raise RequestInvalid(found)


def _find_unsupported_agents(asked: ResearchInput, settings: Settings) -> Iterable[FieldFault]:
    """Agents of one's own that the extractive model would be asked for: it has no rules for them."""
    server = ModelChoice(default=settings.model, by_agent=settings.agent_models)
    for name, own, model in list_callees(asked.graph):
        run = with_own(asked.models, name, own)
        chosen = (
            model
            or chosen_model(name, run, ModelChoice())
            or (chosen_model(name, run, server) if settings.shared_environment else "")
        )
        if own is not None and chosen and model_names(chosen)[0] == OFFLINE:
            message = (
                f"the agent {name!r} is your own and needs a language model, and `offline` has no rules for it: choose "
                f"one in the run's `model`, in the agent's, or with ELCANO_MODEL. `POST /v1/graphs/NAME/dry-run` and "
                "`elcano graph try` walk its graph without a model"
            )
            yield FieldFault(field=field_of(name, run, model), message=message)


def lacks_query_writer(graph: ResearchGraph, sources: Iterable[str], run: ModelChoice, settings: Settings) -> bool:
    """Whether nothing can write the SQL of `graph`: no language model, and no question is saved for its databases.

    A model that nobody knows here counts as one.
    """
    server = ModelChoice(default=settings.model, by_agent=settings.agent_models)
    known = server if settings.shared_environment else ModelChoice()
    models = [
        one.model or chosen_model(SQL_WRITER, run, known) for one in list_callees(graph) if one.agent == SQL_WRITER
    ]
    if not models or any(not model or model_names(model)[0] != OFFLINE for model in models):
        return False
    return not any(name in settings.databases and name in settings.database_examples for name in sources)


def _query_writer_faults(asked: ResearchInput, settings: Settings) -> Iterable[FieldFault]:
    """That a run which can only ask databases has neither a model to write its SQL nor saved questions."""
    if not asks_databases(asked.graph) or not lacks_query_writer(asked.graph, asked.sources, asked.models, settings):
        return
    databases = ", ".join(repr(name) for name in asked.sources if name in settings.databases)
    message = (
        f"{asked.mode!r} needs a language model, or saved questions for {databases}: choose a model in the run's "
        "`model` or with ELCANO_MODEL, or name a file of questions with their SQL in ELCANO_DATABASE_EXAMPLES"
    )
    yield FieldFault(field=field_of(SQL_WRITER, asked.models), message=message)


class Callee(NamedTuple):
    """An agent that a node calls, and its model."""

    agent: str
    """By the name that the node calls it."""
    own: OwnAgent | None
    """What it is, if it is the graph's own."""
    model: str
    """That the node names; empty: none."""


def list_callees(graph: ResearchGraph) -> list[Callee]:
    """The agents that a graph and its branches ask, in order of their names, once with each model that a node names."""
    found = {
        (node.agent, (node.limits.model if node.limits is not None else None) or ""): one.agents.get(node.agent)
        for one in graph.all_graphs()
        for node in one.nodes
        if isinstance(node, AgentNode)
    }
    return [Callee(agent, own, model) for (agent, model), own in sorted(found.items(), key=lambda one: one[0])]


def field_of(agent: str, run: ModelChoice, own: str = "") -> str:
    """Where in a request the model of an agent was named; `own`: the one that its node names."""
    if own:
        return "graph"
    for name in (agent, agent.partition("@")[0]):
        if run.by_agent.get(name):
            return f"model.by_agent.{name}"
    return "model.default" if run.default else "model"


def _explain_missing_key(name: str, settings: Settings) -> str | None:
    variables = PROVIDERS.get(parse_model_provider(name), ())
    if address_of(name, settings.model_base_url, settings.model_urls):
        return None  # a server of one's own may need no key
    if not variables or any(is_set(variable) for variable in variables):
        return None
    return (
        f"{name!r} cannot be called: set {' or '.join(variables)} where the server runs and start it again, or choose "
        "another model"
    )
