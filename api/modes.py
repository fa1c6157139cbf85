"""Modes, domains and models: the graphs that a run can follow, the rubrics for evidence, and the models that answer.

Modes are described with cost and limits; of models that answer unless a run names others, where they are asked and what
they charge.
"""

from collections.abc import Collection, Iterator
from typing import Final, Literal

from fastapi import APIRouter
from pydantic import Field

from elcano.api.http.request_identity import requires
from elcano.api.services import Provided
from elcano.graphs.catalogue.sources import DATABASE
from elcano.graphs.checks.budget_limits import (
    Cost,
    CostClass,
    default_limits,
    estimate_choice_costs,
    estimate_graph_costs,
)
from elcano.graphs.checks.callees import (
    extra_faults,
    find_unanswerable_offline,
    list_callees,
    required_extras,
    useful_extras,
)
from elcano.graphs.contracts import CHAIN_MODES
from elcano.graphs.extras import EXTRAS
from elcano.graphs.mode_choice import DEFAULT_MODE, MODES, USUAL, can_choose_mode, describe_modes, list_parts, mode_of
from elcano.graphs.model_names import OFFLINE, address_of, model_names, parse_model_provider
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.rubric import Rubric
from elcano.service.fields import Described
from elcano.service.runs.model_checks import find_model_price
from elcano.service.source_survey import list_barred_modes
from elcano.settings.settings import Settings

ANY_SOURCE: Final = "at least one source"
A_DATABASE: Final = (
    "at least one database (`ELCANO_DATABASES`), and a language model or saved questions (`ELCANO_DATABASE_EXAMPLES`)"
)


class ModeCost(Described):
    """The typical cost of a run."""

    tokens: int = Field(examples=[53_000])
    """Input and output tokens, without what a model thinks unseen."""
    calls: int = Field(examples=[9])
    """Calls of models."""

    @classmethod
    def of(cls, cost: Cost) -> "ModeCost":
        """Build the view of counted costs."""
        return cls(tokens=cost.tokens, calls=cost.calls)


class ModeLimits(Described):
    """The default limits of the mode's runs."""

    tokens: int = Field(examples=[200_000])
    """Input and output tokens."""
    seconds: float = Field(examples=[600.0])
    """From its start to the end of its report."""
    iterations: int = Field(examples=[5])
    """Turns of a research loop."""
    steps: int = Field(examples=[200])
    """Nodes visited."""
    sections: int = Field(examples=[8])
    """The maximum number of sections, for modes with a plan."""


class ModeView(Described):
    """A built-in mode, explained."""

    name: str = Field(examples=["iterative"])
    """Pass it as `mode`."""
    aliases: tuple[str, ...] = Field(default=(), examples=[[]])
    """Other names that mean the same."""
    default: bool = Field(examples=[False])
    """Whether a run has this mode that names none."""
    purpose: str = Field(examples=["One point, however hard it is to find."])
    """The questions that it is for."""
    does: str = Field(examples=["Search, think, find the gap, search for it, judge; round until it is answered."])
    """Description of what it does."""
    ways: dict[str, str] = Field(default={}, examples=[{}])
    """For a mode that picks among others: those that this server can run, and when each is picked. A run cannot pick a
    mode that its own sources, models and budget do not allow, and says so if it would have."""
    graph: str = Field(examples=["/v1/graphs/iterative"])
    """Path of its graph, as JSON."""
    drawing: str = Field(examples=["/v1/graphs/iterative?format=mermaid"])
    """Path of its drawing, as a Mermaid flow chart."""
    cost_class: CostClass = Field(examples=["low"])
    """Rough cost of a run: `low` up to 60,000 usual tokens, `middle` up to 200,000, else `high`."""
    least: ModeCost
    """A run that goes straight through."""
    usual: ModeCost
    """A run that goes round twice; with six sections where it plans some. Of `auto` that of the usual way."""
    limits: ModeLimits
    """The limits of a run unless its request sets others (`budget`)."""
    sources: str = Field(default=ANY_SOURCE, examples=[ANY_SOURCE])
    """The sources that it needs."""
    unavailable: tuple[str, ...] = Field(default=(), examples=[()])
    """Why a run of this mode is refused at the moment: what its workers lack, and how that is installed. Empty: it is
    not."""
    needs_model: bool = Field(default=False, examples=[False])
    """Whether it needs a language model: a run whose model is `offline` is refused."""
    left_out: tuple[str, ...] = Field(default=(), examples=[()])
    """Features that its runs lack because workers lack them, each with how to install it."""
    engines: tuple[Literal["graph", "chain"], ...] = Field(examples=[["graph", "chain"]])
    """The engines that can run it; `chain` is plain code without the graph engine (`use_graph: false`)."""

    @classmethod
    def of(cls, name: str, *, databases: bool = True, lacking: Collection[str] = ()) -> "ModeView":
        """The built-in mode `name`.

        Args:
            name: of the mode.
            databases: whether the server has some, without which nothing asks them.
            lacking: the extras that workers lack.
        """
        mode, graph = mode_of(name), MODES[name]
        chooses = can_choose_mode(graph)
        parts = list_parts()
        costs = (
            estimate_choice_costs(graph, list(parts.values()), parts[USUAL]) if chooses else estimate_graph_costs(graph)
        )
        limits = default_limits(graph)
        ways = [way for way in parts if databases or DATABASE not in mode_of(way).kinds]
        open_ways = [way for way in ways if required_extras(parts[way]).isdisjoint(lacking)]
        return cls(
            name=name,
            aliases=mode.aliases,
            default=name == DEFAULT_MODE,
            purpose=mode.purpose or graph.description,
            does=graph.description,
            ways=describe_modes(open_ways) if chooses else {},
            graph=f"/v1/graphs/{name}",
            drawing=f"/v1/graphs/{name}?format=mermaid",
            cost_class=costs.cost_class,
            least=ModeCost.of(costs.least),
            usual=ModeCost.of(costs.usual),
            limits=ModeLimits.from_record(limits),
            sources=A_DATABASE if DATABASE in mode.kinds else ANY_SOURCE,
            unavailable=() if chooses else tuple(extra_faults(f"the mode {name!r}", graph, lacking)),
            needs_model=not chooses and bool(find_unanswerable_offline(list_callees(graph))),
            left_out=tuple(EXTRAS[extra].hint for extra in sorted(_left_out(graph, chooses) & frozenset(lacking))),
            engines=("graph", "chain") if name in CHAIN_MODES else ("graph",),
        )


def _left_out(graph: ResearchGraph, chooses: bool) -> frozenset[str]:
    """Return the extras without which a graph's runs do less; one that chooses modes also loses those that need one."""
    return useful_extras(graph) | (required_extras(graph) if chooses else frozenset())


router = APIRouter(prefix="/v1", dependencies=[requires("read_catalogue")])


@router.get("/modes", tags=["graphs"])
async def list_modes(services: Provided) -> list[ModeView]:
    """List the built-in modes: the purpose, graph, cost, requirements and limits of each.

    Whether it can be run at the moment say the workers: a mode that needs an extra that one of them lacks is refused.
    Graphs of your own are modes too: `GET /v1/graphs` lists them with these.
    """
    settings, barred = services.settings, list_barred_modes(services.allowance)
    lacking = (await services.temporal.workers.survey()).lacking
    if not settings.mcp_servers:
        lacking -= {"mcp"}
    return [
        ModeView.of(name, databases=bool(settings.databases), lacking=lacking) for name in MODES if name not in barred
    ]


@router.get("/domains", tags=["runs"])
async def list_domains(services: Provided) -> list[Rubric]:
    """List the rubrics by which evidence can be judged: the built-in ones, then those of the server's own.

    A run names one as its `domain`, or brings one of its own in the same form. Without one the judge goes by the
    standards of no field.
    """
    return list(services.domains.values())


class ModelPrice(Described):
    """The price of a million tokens, in US dollars, by `ELCANO_MODEL_PRICES` or genai-prices."""

    input_usd: float = Field(examples=[1.25])
    """Price of input tokens."""
    output_usd: float = Field(examples=[10.0])
    """Price of output tokens."""


class ModelView(Described):
    """A model of the set-up."""

    name: str = Field(examples=["openai:gpt-5.1"])
    """As a run names it in `model`; `offline` quotes, and needs no key."""
    agents: tuple[str, ...] = Field(default=(), examples=[()])
    """The agents that it answers; empty: all that have none of their own."""
    fallback: int = Field(default=0, examples=[0])
    """Its place in its fallback list: 0 is asked first."""
    provider: str = Field(default="", examples=["openai"])
    """Provider of the model; empty for `offline`."""
    address: str = Field(default="", examples=["http://localhost:8000/v1"])
    """Base URL, if it is not the provider's own."""
    price: ModelPrice | None = None
    """Price of the model; null: unknown."""


@router.get("/models", tags=["graphs"])
async def list_models(services: Provided) -> list[ModelView]:
    """List the models that answer where a run names none, with their prices.

    Whether their keys are set is known to workers alone; `elcano doctor` on a worker's machine says it.
    """
    return list(_list_configured_models(services.settings))


def _list_configured_models(settings: Settings) -> Iterator[ModelView]:
    by_text: dict[str, list[str]] = {settings.model: []}
    for agent, text in settings.agent_models.items():
        by_text.setdefault(text, []).append(agent)
    for text, agents in by_text.items():
        for place, name in enumerate(model_names(text)):
            own = () if text == settings.model else tuple(agents)
            yield _build_model_view(name, own, place, settings)


def _build_model_view(name: str, agents: tuple[str, ...], fallback: int, settings: Settings) -> ModelView:
    if name == OFFLINE:
        return ModelView(name=name, agents=agents, fallback=fallback)
    price = find_model_price(name, settings)
    return ModelView(
        name=name,
        agents=agents,
        fallback=fallback,
        provider=parse_model_provider(name),
        address=address_of(name, settings.model_base_url, settings.model_urls),
        price=None if price is None else ModelPrice(input_usd=price.input, output_usd=price.output),
    )
