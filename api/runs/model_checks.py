"""Checks that a run's agents can be called before the run starts: each has a model, a key, and a worker that calls it.

Only the worker knows its environment. Where all workers are started in the API's own (`shared_environment`), what is
not set here is certainly not set there; elsewhere nothing is said. Calls wait in the queue of their provider where its
rate is set; the workflow knows no settings, so it is told when it starts.
"""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from elcano.api.http.errors import FieldFault, TemporalRefused, TemporalUnavailable
from elcano.api.temporal.client import Temporal
from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.checks.callees import Callee, find_unanswerable_offline, list_callees
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.contracts import ModelChoice, model_queue
from elcano.graphs.mode_choice import can_choose_mode
from elcano.graphs.model_names import (
    OFFLINE,
    PROVIDERS,
    address_of,
    list_chosen_models,
    model_fault,
    parse_model_provider,
)
from elcano.graphs.plugin import load_objects
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import ResearchGraph
from elcano.settings.environment import is_set
from elcano.settings.settings import Settings


class CalledModel(NamedTuple):
    """An agent of a graph with the model that it calls."""

    callee: Callee
    names: tuple[str, ...]
    """A fallback list, as the server is set up; the first one is asked first."""
    field: str
    """Where in a request it was named."""
    is_known: bool
    """False: the request names none, and workers may be set up otherwise."""

    @property
    def provider(self) -> str:
        """The provider of the first model; empty for `offline`."""
        return "" if self.names[0] == OFFLINE else self.names[0].partition(":")[0]


def list_called_models(graph: ResearchGraph, run: ModelChoice, settings: Settings) -> list[CalledModel]:
    """The agents of a graph and its branches, each with the model that a run with this choice calls."""
    server = ModelChoice(default=settings.model, by_agent=settings.agent_models)
    callees = list_callees(graph)
    return [
        CalledModel(one, names, _name_field(one, run), by_run or settings.shared_environment)
        for one, (names, by_run) in zip(callees, list_chosen_models(callees, run, server), strict=True)
    ]


def _name_field(callee: Callee, run: ModelChoice) -> str:
    """Where in a request the model of an agent was named."""
    if callee.model:
        return "graph"
    for name in (callee.agent, callee.agent.partition("@")[0]):
        if run.by_agent.get(name):
            return f"model.by_agent.{name}"
    if callee.own is not None and callee.own.model:
        return f"model.by_agent.{callee.agent}"
    return _name_default_field(run)


def _name_default_field(run: ModelChoice) -> str:
    return "model.default" if run.default else "model"


def find_model_name_faults(models: ModelChoice, graph: ResearchGraph | None) -> list[FieldFault]:
    """List faults in the names of models, regardless of keys, and in those of agents, if the graph is known."""
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
    """List agents of a run whose model cannot do their task, lacks a key, or is not called by any worker.

    The workers' settings are known only if they have the API's environment. The purpose of the run is judged only if
    its sources are valid (`sources_known`).
    """
    called = list_called_models(asked.graph, asked.models, settings)
    found = _find_unsupported_agents(asked, called)
    if sources_known and (why := _find_obstacle(asked.graph, asked.sources, called, settings)):
        message = f"the mode {asked.mode!r} cannot run so: {why}"
        found.append(FieldFault(field=_name_default_field(asked.models), message=message))
    if settings.shared_environment:
        found += _find_missing_keys(called, settings)
    return [*found, *await _find_uncalled_providers(called, temporal, settings)]


def _find_unsupported_agents(asked: ResearchInput, called: Sequence[CalledModel]) -> list[FieldFault]:
    """Agents that the model without a key would be asked for and has no rules for: one's own, and those of teams.

    A run that chooses its mode is not asked for those of modes that it cannot choose.
    """
    faults: list[FieldFault] = []
    built_in: dict[str, list[str]] = {}
    for one in _list_unsupported(called):
        if one.callee.own is None:
            built_in.setdefault(one.field, []).append(one.callee.agent)
            continue
        message = (
            f"the agent {one.callee.agent!r} is your own and needs a language model, and `offline` has no rules for "
            "it: choose one in the run's `model`, in the agent's, or with ELCANO_MODEL. `POST /v1/graphs/NAME/dry-run` "
            "and `elcano graph try` walk its graph without a model"
        )
        faults.append(FieldFault(field=one.field, message=message))
    if built_in and can_choose_mode(asked.graph):
        return faults
    for field, agents in built_in.items():
        names = ", ".join(dict.fromkeys(agents))
        message = (
            f"{asked.mode!r} needs a language model, and `offline` has no rules for {names}: "
            "choose one in the run's `model` or with ELCANO_MODEL, or a mode that needs none (`GET /v1/modes`)"
        )
        faults.append(FieldFault(field=field, message=message))
    return faults


def _list_unsupported(called: Sequence[CalledModel]) -> list[CalledModel]:
    """Calls of the model without a key that it has no rules for."""
    offline = [one for one in called if one.is_known and one.names[0] == OFFLINE]
    unanswerable = find_unanswerable_offline([one.callee for one in offline])
    return [one for one in offline if one.callee in unanswerable]


def explain_mode_obstacle(graph: ResearchGraph, sources: Sequence[str], run: ModelChoice, settings: Settings) -> str:
    """Why a run of `graph` over these sources and with these models cannot do what it is for; empty if it can."""
    called = list_called_models(graph, run, settings)
    if _list_unsupported(called):
        return "it needs a language model (the run's `model`, or ELCANO_MODEL)"
    return _find_obstacle(graph, sources, called, settings)


def _find_obstacle(
    graph: ResearchGraph, sources: Sequence[str], called: Sequence[CalledModel], settings: Settings
) -> str:
    """Return a plugin's objection; empty: none."""
    models = {one.callee.agent: ",".join(one.names) if one.is_known else "" for one in called}
    return next(filter(None, (find(graph, sources, models, settings) for find in load_objects("obstacles"))), "")


def _find_missing_keys(called: Sequence[CalledModel], settings: Settings) -> list[FieldFault]:
    """Every model that has no key: once, where it was named.

    Each model of a fallback list needs its key, because the list is made as a whole.
    """
    named = dict.fromkeys((one.field, name) for one in called for name in one.names if name != OFFLINE)
    why = {name: _explain_missing_key(name, settings) for _, name in named}
    return [FieldFault(field=field, message=message) for field, name in named if (message := why[name]) is not None]


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
    """The same input, which says how long calls may take, and of each agent in whose provider's queue they wait."""
    asked = asked.model_copy(update={"call_seconds": settings.call_seconds})
    if not settings.model_rates:
        return asked.model_copy(update={"model_providers": {}})
    called = list_called_models(asked.graph, asked.models, settings)
    waiting = {
        one.callee.model or one.callee.agent: one.provider for one in called if one.provider in settings.model_rates
    }
    return asked.model_copy(update={"model_providers": waiting})


async def _find_uncalled_providers(
    called: Sequence[CalledModel], temporal: Temporal, settings: Settings
) -> list[FieldFault]:
    """Providers that are needed and that no worker calls although workers run; else the run waits for any worker.

    Of a server that does not answer nothing is known.
    """
    places = dict.fromkeys((one.field, one.provider) for one in called if one.provider in settings.model_rates)
    providers = dict.fromkeys(provider for _, provider in places)
    try:
        if not providers or not await temporal.worker_polls():
            return []
        polled = await asyncio.gather(*(temporal.queue_is_polled(model_queue(provider)) for provider in providers))
    except (TemporalUnavailable, TemporalRefused):
        return []
    idle = {provider for provider, there in zip(providers, polled, strict=True) if not there}
    return [
        FieldFault(
            field=field,
            message=f"no worker calls models of {provider!r}: none polls the task queue {model_queue(provider)!r}. "
            "Set the provider's key where a worker runs and start that again, or choose another model",
        )
        for field, provider in places
        if provider in idle
    ]
