"""The request for a run. What needs the server's settings to be checked is checked in `judgement`."""

from collections.abc import Callable
from functools import cache
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.contracts import RunPriority
from elcano.graphs.mode_choice import DEFAULT_MODE, MODES
from elcano.graphs.spec.limits import LEAST_PATH_SECONDS, MOST_PATH_SECONDS
from elcano.graphs.state.budget import Limits
from elcano.service.fields import Request, RunId, Spoken, Text
from elcano.service.runs.trust_request import TrustRequest

LONGEST_DOMAIN: Final = 48
MAX_QUESTION = 10_000
MAX_BACKGROUND = 50_000
MAX_INSTRUCTIONS = 5_000

CountedLimitName: TypeAlias = Literal["tokens", "seconds", "iterations", "steps", "stalls", "resets", "sections"]


@cache
def describe_defaults(limit: CountedLimitName) -> str:
    """The default of a limit: `200`, or ``100,000 (`simple`), 200,000 (`iterative`)`` where modes differ."""
    modes: dict[float, list[str]] = {}
    for mode, graph in MODES.items():
        modes.setdefault(getattr(default_limits(graph), limit), []).append(f"`{mode}`")
    if len(modes) == 1:
        return "".join(f"{value:,.0f}" for value in modes)
    return ", ".join(f"{value:,.0f} ({', '.join(modes[value])})" for value in sorted(modes))


_LIMITS = Limits.model_json_schema()["properties"]


def _name_or_rubric(value: object) -> object:
    """Report a single fault, whatever the type of the value."""
    if value is None or isinstance(value, dict) or (isinstance(value, str) and len(value) <= LONGEST_DOMAIN):
        return value
    raise PydanticCustomError("domain", "is neither a name of `GET /v1/domains` nor a rubric in the same form")


def _describe_limit_bounds(limit: str) -> dict[str, Any]:
    """Describe a limit's range for OpenAPI, as `graphs.state.budget.Limits` has it."""
    return {key: _LIMITS[limit][key] for key in ("minimum", "maximum") if key in _LIMITS[limit]}


def _describe_limit(limit: CountedLimitName, text: str) -> Callable[[dict[str, Any]], None]:
    """Fills in a limit's description and range when they are asked for: its default depends on the loaded modes."""

    def fill(schema: dict[str, Any]) -> None:
        schema |= {"description": f"{text}. Left out: {describe_defaults(limit)}.", **_describe_limit_bounds(limit)}

    return fill


class BudgetRequest(Request):
    """The limits of a run; limits within which its graph cannot work are refused.

    What is left out has its default, which depends on the graph (`GET /v1/modes` has those of each mode).
    """

    tokens: int | None = Field(
        default=None,
        examples=[100_000],
        json_schema_extra=_describe_limit("tokens", "Input and output tokens of all model calls together"),
    )
    cost_usd: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, examples=[0.5], json_schema_extra={"maximum": 10_000}
    )
    """US dollars; left out: not limited."""
    seconds: float | None = Field(
        default=None,
        allow_inf_nan=False,
        examples=[600],
        json_schema_extra=_describe_limit(
            "seconds", "Seconds from the start to the end of the report, pauses not counted"
        ),
    )
    iterations: int | None = Field(
        default=None,
        examples=[5],
        json_schema_extra=_describe_limit(
            "iterations", "How often the research loop may run, of `magentic` the rounds"
        ),
    )
    steps: int | None = Field(
        default=None,
        examples=[200],
        json_schema_extra=_describe_limit("steps", "Nodes of the graph visited"),
    )
    stalls: int | None = Field(
        default=None,
        examples=[3],
        json_schema_extra=_describe_limit(
            "stalls", "Of `magentic`: after so many rounds without progress the manager plans anew"
        ),
    )
    resets: int | None = Field(
        default=None,
        examples=[2],
        json_schema_extra=_describe_limit(
            "resets", "Of `magentic`: how often it may do so before the report is written from what there is"
        ),
    )
    sections: int | None = Field(
        default=None,
        examples=[8],
        json_schema_extra=_describe_limit(
            "sections", "Sections that a plan may have; each is a research loop of its own"
        ),
    )
    when_exhausted: Literal["finish", "pause"] = Field(default="finish", examples=["pause"])
    """Behaviour when the budget is used up: `finish` writes the report from what it has, `pause` waits for a top-up;
    its clock then also stops while a provider does not answer."""
    path_seconds: float | None = Field(
        default=None,
        ge=LEAST_PATH_SECONDS,
        le=MOST_PATH_SECONDS,
        allow_inf_nan=False,
        examples=[15.0],
    )
    """For a question to databases that is split into paths: the time limit of each database call in a path. It includes
    neither a model's thinking nor time without a worker. Left out: the server's limit, 15."""
    hold_seconds: float | None = Field(
        default=None, examples=[86_400.0], json_schema_extra=_describe_limit_bounds("hold_seconds")
    )
    """Seconds that a call waits for approval; with `pause` also how long one call is held for a provider or for a
    person. Left out: 7 days."""


class ModelRequest(Request):
    """Which models answer."""

    default: Text = Field(default="", max_length=500, examples=["offline"])
    """`offline`, a provider string (`openai:gpt-5.1`) or a comma-separated fallback list; empty: as the server is
    set up."""
    by_agent: dict[str, Annotated[Text, Field(max_length=500)]] = Field(
        default={}, max_length=50, examples=[{"writer": "anthropic:claude-sonnet-5-5"}]
    )
    """Exceptions by the name of an agent."""


def default_model(value: object) -> object:
    """A model's name alone is the one for all agents."""
    return {"default": value} if isinstance(value, str) else value


def _without_default(schema: dict[str, Any]) -> None:
    """Leaves out a default that is an object: programs that generate clients write it as a text and send that."""
    schema.pop("default", None)


class RunRequest(Request):
    """A question to research."""

    question: Spoken = Field(
        max_length=MAX_QUESTION, examples=["Which Python packages here can read PDF files, and how do they differ?"]
    )
    """The question to research."""
    mode: Annotated[str, Field(max_length=100)] = Field(default=DEFAULT_MODE, examples=["auto", "iterative", "deep"])
    """The graph that works on it; `GET /v1/modes` explains the built-in ones, `GET /v1/graphs` lists yours as well.
    Left out: `auto`, which reads the question and chooses, and says why."""
    graph: dict[str, Any] | None = None
    """A graph of your own in place of a mode (see `GET /v1/graphs/schema`); the run's mode is then its name."""
    use_graph: bool | None = Field(default=None, examples=[True])
    """False: the mode runs as plain code, without the graph engine (built-in modes only, see `GET /v1/modes`); left
    out: as the server is set up."""
    domain: Annotated[str | dict[str, Any] | None, BeforeValidator(_name_or_rubric)] = Field(
        default=None, examples=["biomedical", "general"]
    )
    """By the standards of which field evidence is judged: a name of `GET /v1/domains`, a rubric of your own in the same
    form, or `general` for those of none. Left out: the mode `auto` reads that off the question, others go by none."""
    sources: list[Annotated[str, Field(max_length=100)]] | None = Field(
        default=None, min_length=1, max_length=50, examples=[["packages"]]
    )
    """The sources to search, by name; left out: all of the server's own. A source that queries an external service is
    searched only if it is named."""
    trust: TrustRequest | None = Field(default=None, examples=[{"allowed_domains": ["who.int", "*.gov"]}])
    """Which domains, journals and kinds of sources it may use, and whom it may contact. Left out: as of the run that it
    follows; else whatever the server offers."""
    background: Text = Field(default="", max_length=MAX_BACKGROUND, examples=["We only run on Linux."])
    """Context that the agents get besides the question."""
    previous_run: RunId | None = Field(default=None, examples=["default-01kb1q3yw5v7c8m2n4p6r8t0vx"])
    """The run that this question follows: the agents know what was asked and answered there and before, and its
    passages may be cited. It has to have ended; of one that failed, what it got to is known."""
    instructions: Text = Field(default="", max_length=MAX_INSTRUCTIONS, examples=["One page, for engineers."])
    """Instructions on the report's length, tone or form."""
    output_schema: dict[str, Any] | None = Field(
        default=None,
        examples=[{"type": "object", "properties": {"year": {"type": "integer", "description": "Year of release"}}}],
    )
    """A JSON Schema: besides the report the run answers as data of this form (`GET /v1/runs/{run_id}/answer`), in which
    each value has its quotes and what is not known is null. It is of an object with 200 fields at most, and refers to
    nothing outside itself. It takes a call of a language model."""
    review: bool = Field(default=True, examples=[False])
    """Whether each statement of the report is read against the words that it quotes, by the agent `reviewer`; what it
    finds is marked in the report. It takes tokens of the budget; a report of literal quotations needs none."""
    clarify: bool = Field(default=False, examples=[True])
    """True: a model asks back first what the question leaves open, four questions at most; if it does, the run waits,
    for days if need be, until they are answered or skipped (`POST /v1/runs/{run_id}/clarifications`)."""
    approve_plan: bool = Field(default=False, examples=[True])
    """True: the run waits, for days if need be, for approval of its plan of sections
    (`POST /v1/runs/{run_id}/approve`); for graphs that plan sections."""
    approvals: Literal["wait", "refuse"] = Field(default="wait", examples=["wait"])
    """Handling of tool calls that write and that the operator has not allowed: `wait` for approval (`POST
    /v1/runs/{run_id}/approve-call`) for up to `budget.hold_seconds`, or `refuse`: its node fails at once."""
    priority: RunPriority = Field(default="interactive", examples=["batch"])
    """`batch` for runs without a waiting user: their calls go after those of all interactive runs. Among runs of one
    priority, tenants take turns."""
    metadata: dict[Annotated[Spoken, Field(max_length=64)], Annotated[Text, Field(max_length=512)]] = Field(
        default={}, max_length=16, examples=[{"ticket": "4711"}]
    )
    """Your own labels, kept with the run. Agents do not see them."""
    budget: BudgetRequest = Field(default=BudgetRequest(), json_schema_extra=_without_default)
    """The limits of the run."""
    model: Annotated[
        ModelRequest, BeforeValidator(default_model, json_schema_input_type=Annotated[str, Field()] | ModelRequest)
    ] = Field(
        default=ModelRequest(),
        examples=["offline", {"by_agent": {"writer": "openai:gpt-5.1"}}],
        json_schema_extra=_without_default,
    )
    """Which models answer: one for all agents, or an object with exceptions."""
