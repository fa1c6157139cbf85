"""Checks that a run's agents can be called before the run starts: each has a model, a key, and a worker that calls it.

Only the worker knows its environment. Where all workers are started in the API's own (`shared_environment`), what is
not set here is certainly not set there; elsewhere nothing is said. Calls wait in the queue of their provider where its
rate is set; the workflow knows no settings, so it is given them when it starts.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from elcano.graphs.added_steps import CLARIFIER, FORM_FILLER
from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.checks.callees import Callee, list_callees
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.contracts import model_queue
from elcano.graphs.graph_traits import GraphTraits, read_graph_traits
from elcano.graphs.mode_choice import MODES
from elcano.graphs.model_names import (
    OFFLINE,
    PROVIDERS,
    ModelChoice,
    address_of,
    is_free_of_charge,
    list_fallbacks,
    list_name_faults,
    parse_model_provider,
)
from elcano.graphs.plugin import list_keyless
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.limits import SQL_WRITER
from elcano.graphs.state.budget import Limits
from elcano.service.errors import FieldFault
from elcano.service.runs.run_request import ModelRequest
from elcano.settings.environment import is_set
from elcano.settings.model_prices import FREE, TokenPrice, explain_missing_price, find_listed_price, find_set_price
from elcano.settings.settings import Settings


class CalledModel(NamedTuple):
    """An agent of a graph with the model that it calls."""

    callee: Callee
    names: tuple[str, ...]
    """A fallback list, as the server is set up; the first one is asked first."""
    field: str
    """Field of the request that names it."""
    is_known: bool
    """False: the request names none, and workers may be set up otherwise."""
    provider: str
    """The provider of the first model; empty for `offline`."""


def list_called_models(callees: Sequence[Callee], run: ModelChoice, settings: Settings) -> list[CalledModel]:
    """The agents of a graph and its branches, each with the model that a run with this choice calls."""
    return _combine_called_models(callees, *_choose_models(callees, run, settings), run, settings)


def _choose_models(
    callees: Sequence[Callee], run: ModelChoice, settings: Settings
) -> tuple[list[str], list[tuple[str, ...]]]:
    """The models that a run names for each agent, with the fallback lists of the server's settings."""
    agents = [one.agent for one in callees]
    named = run.find_models([one[:3] for one in callees])
    return named, list_fallbacks(agents, named, ModelChoice(default=settings.model, by_agent=settings.agent_models))


def _combine_called_models(
    callees: Sequence[Callee],
    named: Sequence[str],
    fallbacks: Sequence[tuple[str, ...]],
    run: ModelChoice,
    settings: Settings,
) -> list[CalledModel]:
    called = []
    for one, text, names in zip(callees, named, fallbacks, strict=True):
        provider = "" if names[0] == OFFLINE else names[0].partition(":")[0]
        is_known = bool(text) or settings.shared_environment
        called.append(CalledModel(one, names, _name_field(one, run), is_known, provider))
    return called


def _name_field(callee: Callee, run: ModelChoice) -> str:
    """Return the field of a request that names the model of an agent."""
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


def read_model_choice(request: ModelRequest) -> ModelChoice:
    """The choice of a request as a run has it."""
    return ModelChoice(default=request.default, by_agent=request.by_agent)


_ADDED_AGENTS: Final = {
    FORM_FILLER: ("output_schema", "an answer in a schema"),
    CLARIFIER: ("clarify", "asking back"),
}
"""Agents that a field of the request adds to whatever graph there is: the field, and what it asks for."""


def judge_models(
    run: ModelChoice,
    graph: GraphTraits | None,
    sources: Sequence[str] | None,
    unpolled: Mapping[str, str],
    settings: Settings,
) -> list[FieldFault]:
    """List the faults of the models of a run: wrong names, or tasks of its agents that they cannot do.

    Args:
        run: the models that the run names.
        graph: the one that it follows; None: it is not known, and only names are judged.
        sources: what it searches; None: that is not known, and whether its mode can do its work is not judged.
        unpolled: task queues that give their calls to no worker though workers run, with the reasons.
        settings: of the server; those of workers are known only if they have its environment.
    """
    callees = () if graph is None else graph.callees
    named, fallbacks = _choose_models(callees, run, settings)
    wrong = list_name_faults(run)
    keyless = list_keyless()
    faults = [FieldFault(field=field, message=fault) for field, fault in wrong.items()]
    if graph is None:
        return faults
    if run.by_agent:
        faults += _find_unknown_agents(run, callees)
    if faults:
        return faults
    called = _combine_called_models(callees, named, fallbacks, run, settings)
    faults += _find_unsupported_agents(graph, _list_unsupported(called, keyless))
    if settings.shared_environment:
        faults += _find_missing_keys(called, settings)
    faults += _find_uncalled_providers(called, unpolled, settings)
    field = _name_default_field(run)
    if sources is not None and (why := _explain_missing_query_writer(graph, sources, called, settings)):
        faults.append(FieldFault(field=field, message=f"the mode {graph.graph.name!r} cannot run so: {why}"))
    return faults


def find_model_price(name: str, settings: Settings) -> TokenPrice | None:
    """The price of a single model; None if none is known."""
    if (price := find_set_price(name, settings.model_prices) or find_listed_price(name)) is not None:
        return price
    free = is_free_of_charge(name, settings.model_base_url, settings.model_urls, settings.private_hosts)
    return FREE if free else None


def find_price_faults(
    limits: Limits, callees: Sequence[Callee], run: ModelChoice, settings: Settings
) -> list[FieldFault]:
    """A fault for each model without a known price, fallbacks included, if the run has a limit of money."""
    if limits.cost_microusd is None:
        return []
    known = (one for one in list_called_models(callees, run, settings) if one.is_known)
    names = dict.fromkeys(name for one in known for name in one.names)
    unpriced = [name for name in names if find_model_price(name, settings) is None]
    return [FieldFault(field="budget.cost_usd", message=explain_missing_price(name)) for name in unpriced]


def find_model_name_faults(run: ModelChoice) -> list[FieldFault]:
    """List faults in the names of models, regardless of keys."""
    return [FieldFault(field=field, message=fault) for field, fault in list_name_faults(run).items()]


def _find_unknown_agents(run: ModelChoice, callees: Sequence[Callee]) -> list[FieldFault]:
    called = {one.agent for one in callees}
    known = {*AGENTS, *called, *(name.partition("@")[0] for name in called)}
    wrong = [text for name in run.by_agent for text in explain_unknown_name("agent", name, known)]
    return [FieldFault(field="model.by_agent", message=text) for text in wrong]


def _find_unsupported_agents(graph: GraphTraits, unsupported: Sequence[CalledModel]) -> list[FieldFault]:
    """Agents that the model without a key would be asked for and has no rules for: one's own, and those of teams.

    A run that chooses its mode is not asked for those of modes that it cannot choose.
    """
    faults: list[FieldFault] = []
    built_in: dict[str, list[str]] = {}
    for one in unsupported:
        if added := _ADDED_AGENTS.get(one.callee.agent):
            field, what = added
            message = (
                f"{what} needs a language model: choose one in the run's `model`, for this step alone "
                f"under `by_agent.{one.callee.agent}`, or with ELCANO_MODEL, or leave `{field}` out"
            )
            faults.append(FieldFault(field=field, message=message))
            continue
        if one.callee.own is None:
            built_in.setdefault(one.field, []).append(one.callee.agent)
            continue
        message = (
            f"the agent {one.callee.agent!r} is your own and needs a language model, and `offline` has no rules for "
            "it: choose one in the run's `model`, in the agent's, or with ELCANO_MODEL. `POST /v1/graphs/NAME/dry-run` "
            "and `elcano graph try` walk its graph without a model"
        )
        faults.append(FieldFault(field=one.field, message=message))
    if built_in and graph.chooses_mode:
        return faults
    for field, agents in built_in.items():
        names = ", ".join(dict.fromkeys(agents))
        message = (
            f"{graph.graph.name!r} needs a language model, and `offline` has no rules for {names}: "
            "choose one in the run's `model` or with ELCANO_MODEL"
        )
        if graph.graph.name in MODES:  # a change of a report is none, and chooses none
            message += ", or a mode that needs none (`GET /v1/modes`)"
        faults.append(FieldFault(field=field, message=message))
    return faults


def _list_unsupported(called: Sequence[CalledModel], keyless: Collection[str]) -> list[CalledModel]:
    """Calls of the model without a key that it has no rules for."""
    offline = [one for one in called if one.is_known and one.names[0] == OFFLINE]
    return [one for one in offline if not one.callee.tasks or not one.callee.tasks.issubset(keyless)]


def explain_mode_obstacle(graph: ResearchGraph, sources: Sequence[str], run: ModelChoice, settings: Settings) -> str:
    """Why a run of `graph` over these sources and with these models cannot do what it is for; empty if it can."""
    traits = read_graph_traits(graph)
    called = list_called_models(traits.callees, run, settings)
    if _list_unsupported(called, list_keyless()):
        return "it needs a language model (the run's `model`, or ELCANO_MODEL)"
    return _explain_missing_query_writer(traits, sources, called, settings)


def _explain_missing_query_writer(
    graph: GraphTraits, sources: Sequence[str], called: Sequence[CalledModel], settings: Settings
) -> str:
    """Why nothing can write the SQL of a graph that asks databases on each of its ways; empty: something can.

    A model that is not known here counts as a language model.
    """
    writers = {one.names[0] if one.is_known else "" for one in called if one.callee.agent == SQL_WRITER}
    named = [name for name in sources if name in settings.databases]
    saved = any(name in settings.database_examples for name in named)
    if writers != {OFFLINE} or not graph.asks_databases or saved:
        return ""
    return (
        f"it needs a language model, or saved questions for {', '.join(map(repr, named))}: "
        "choose a model in the run's `model` or with ELCANO_MODEL, or name a file of questions with their SQL in "
        "ELCANO_DATABASE_EXAMPLES"
    )


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


def list_model_queues(called: Sequence[CalledModel], settings: Settings) -> list[str]:
    """The task queues in which the calls of these models wait, of providers whose rate is set."""
    providers = dict.fromkeys(one.provider for one in called if one.provider in settings.model_rates)
    return [model_queue(provider) for provider in providers]


def _find_uncalled_providers(
    called: Sequence[CalledModel], unpolled: Mapping[str, str], settings: Settings
) -> list[FieldFault]:
    """Providers that are needed and that no worker calls although workers run; else the run waits for any worker."""
    places = dict.fromkeys((one.field, one.provider) for one in called if one.provider in settings.model_rates)
    return [
        FieldFault(
            field=field,
            message=f"no worker calls models of {provider!r} ({unpolled[model_queue(provider)]}). Set the provider's "
            "key where a worker runs and start that again, or choose another model",
        )
        for field, provider in places
        if model_queue(provider) in unpolled
    ]


def assign_model_queues(asked: ResearchInput, settings: Settings) -> ResearchInput:
    """The same input, which says how long calls may take, and of each agent in whose provider's queue they wait."""
    asked = asked.model_copy(update={"call_seconds": settings.call_seconds})
    if not settings.model_rates:
        return asked.model_copy(update={"model_providers": {}})
    called = list_called_models(list_callees(asked.graph), asked.models, settings)
    waiting = {
        one.callee.model or one.callee.agent: one.provider for one in called if one.provider in settings.model_rates
    }
    return asked.model_copy(update={"model_providers": waiting})
