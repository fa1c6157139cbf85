"""Checks that a run's agents can be called before the run starts: each has a model, a key, and a worker that calls it.

Only the worker knows its environment. Where all workers are started in the API's own (`shared_environment`), what is
not set here is certainly not set there; elsewhere nothing is said. Calls wait in the queue of their provider where its
rate is set; the workflow knows no settings, so it is told when it starts.
"""

import asyncio
from collections.abc import Iterable, Sequence

from elcano.api.http.errors import FieldFault, TemporalRefused, TemporalUnavailable
from elcano.api.temporal.client import Temporal
from elcano.graphs.agents.definition import AGENTS
from elcano.graphs.checks.callees import Callee, can_answer_offline, list_callees
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.contracts import ModelChoice
from elcano.graphs.model_names import (
    OFFLINE,
    PROVIDERS,
    address_of,
    chosen_model,
    model_fault,
    model_names,
    parse_model_provider,
    provider_of,
    with_own,
)
from elcano.graphs.modes import can_choose_mode
from elcano.graphs.providers import model_queue
from elcano.graphs.registry import load_objects
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import ResearchGraph
from elcano.settings.environment import is_set
from elcano.settings.settings import Settings


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


def find_model_name_faults(models: ModelChoice, graph: ResearchGraph | None) -> list[FieldFault]:
    """What is wrong with the names of models, regardless of keys, and with those of agents, if the graph is known."""
    named = {f"model.by_agent.{agent}": text for agent, text in models.by_agent.items()}
    if models.default:
        named["model.default"] = models.default
    faults = {field: model_fault(text) for field, text in named.items()}
    found = [FieldFault(field=field, message=fault) for field, fault in faults.items() if fault is not None]
    if graph is None or not models.by_agent:
        return found
    called = {one.agent for one in list_callees(graph)}
    known = {*AGENTS, *called, *(name.partition("@")[0] for name in called)}
    wrong = [text for name in models.by_agent for text in explain_unknown_name("agent", name, known)]
    return [*found, *(FieldFault(field="model.by_agent", message=text) for text in wrong)]


async def find_model_faults(
    asked: ResearchInput, temporal: Temporal, settings: Settings, *, sources_known: bool = True
) -> list[FieldFault]:
    """Why an agent of a run has no model that can do its part, or its model no key, or nobody who calls it.

    What is set for workers is known only where they have the API's environment. What the run is for is judged where
    its sources are in order (`sources_known`).
    """
    found = list(_find_unsupported_agents(asked, settings))
    if sources_known and (why := find_obstacle(asked.graph, asked.sources, asked.models, settings)):
        message = f"the mode {asked.mode!r} cannot run so: {why}"
        found.append(FieldFault(field=field_of("", asked.models), message=message))
    if settings.shared_environment:
        found += key_faults(asked.models, asked.graph, settings)
    return [*found, *await _find_uncalled_providers(asked, temporal, settings)]


def _find_unsupported_agents(asked: ResearchInput, settings: Settings) -> Iterable[FieldFault]:
    """Agents that the model without a key would be asked for and has no rules for: one's own, and those of teams.

    A run that chooses its mode is not asked for those of modes that it cannot choose.
    """
    built_in: dict[str, list[str]] = {}
    for one, model in _resolve_models(asked.graph, asked.models, settings):
        if not model or model_names(model)[0] != OFFLINE or can_answer_offline(one.agent, one.own):
            continue
        field = field_of(one.agent, with_own(asked.models, one.agent, one.own), one.model)
        if one.own is None:
            built_in.setdefault(field, []).append(one.agent)
            continue
        message = (
            f"the agent {one.agent!r} is your own and needs a language model, and `offline` has no rules for it: "
            "choose one in the run's `model`, in the agent's, or with ELCANO_MODEL. `POST /v1/graphs/NAME/dry-run` and "
            "`elcano graph try` walk its graph without a model"
        )
        yield FieldFault(field=field, message=message)
    if can_choose_mode(asked.graph):
        return
    for field, agents in built_in.items():
        names = ", ".join(dict.fromkeys(agents))
        message = (
            f"{asked.mode!r} needs a language model, and `offline` has no rules for {names}: "
            "choose one in the run's `model` or with ELCANO_MODEL, or a mode that needs none (`GET /v1/modes`)"
        )
        yield FieldFault(field=field, message=message)


def needs_language_model(graph: ResearchGraph, run: ModelChoice, settings: Settings) -> bool:
    """Whether a run of `graph` with these models would ask the model without a key for what it has no rules for."""
    return any(
        model and model_names(model)[0] == OFFLINE and not can_answer_offline(one.agent, one.own)
        for one, model in _resolve_models(graph, run, settings)
    )


def _resolve_models(graph: ResearchGraph, run: ModelChoice, settings: Settings) -> Iterable[tuple[Callee, str]]:
    """The agents of a graph, each with the model that it would call; empty: nobody knows it here."""
    server = ModelChoice(default=settings.model, by_agent=settings.agent_models)
    known = server if settings.shared_environment else ModelChoice()
    for one in list_callees(graph):
        yield one, one.model or chosen_model(one.agent, with_own(run, one.agent, one.own), known)


def find_obstacle(graph: ResearchGraph, sources: Sequence[str], run: ModelChoice, settings: Settings) -> str:
    """Why a run of `graph` over these sources and with these models cannot do what it is for; empty if it can."""
    models = {one.agent: model for one, model in _resolve_models(graph, run, settings)}
    return next(filter(None, (find(graph, sources, models, settings) for find in load_objects("obstacles"))), "")


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


def assign_model_queues(asked: ResearchInput, settings: Settings) -> ResearchInput:
    """The same input, which says of each agent whose provider's queue its calls wait in."""
    waiting = {model or agent: provider for (agent, model), provider in _list_queued_calls(asked, settings).items()}
    return asked.model_copy(update={"model_providers": waiting})


def _list_queued_calls(asked: ResearchInput, settings: Settings) -> dict[tuple[str, str], str]:
    """By agent, and the model that its node names, the provider whose rate is set."""
    server = ModelChoice(default=settings.model, by_agent=settings.agent_models)
    providers = {
        (agent, model): provider_of(model or chosen_model(agent, with_own(asked.models, agent, own), server))
        for agent, own, model in list_callees(asked.graph)
    }
    return {call: provider for call, provider in providers.items() if provider in settings.model_rates}


async def _find_uncalled_providers(asked: ResearchInput, temporal: Temporal, settings: Settings) -> list[FieldFault]:
    """Providers that are needed and that no worker calls although workers run; else the run waits for any worker.

    Of a server that does not answer nothing is known.
    """
    called = _list_queued_calls(asked, settings) if settings.model_rates else {}
    try:
        if not called or not await temporal.worker_polls():
            return []
        served = dict.fromkeys(called.values())
        polled = await asyncio.gather(*(temporal.queue_is_polled(model_queue(provider)) for provider in served))
    except (TemporalUnavailable, TemporalRefused):
        return []
    idle = {provider for provider, there in zip(served, polled, strict=True) if not there}
    places = dict.fromkeys(
        (field_of(agent, asked.models, model), provider)
        for (agent, model), provider in called.items()
        if provider in idle
    )
    return [
        FieldFault(
            field=field,
            message=f"no worker calls models of {provider!r}: none polls the task queue {model_queue(provider)!r}. "
            "Set the provider's key where a worker runs and start that again, or choose another model",
        )
        for field, provider in places
    ]
