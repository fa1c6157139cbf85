"""Usage and quotas over HTTP. A tenant sees itself; the operators of one tenant, if the settings name it, see all."""

from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Final

from fastapi import APIRouter, Header, Query, Response
from pydantic import Field

from elcano.api.http.errors import NotAcceptable, problem_docs
from elcano.api.http.request_guards import choose_media_type
from elcano.api.http.request_identity import requires
from elcano.api.services import InProcess, Provided, Services
from elcano.graphs.state.budget import usd_from_microusd
from elcano.operations.quotas.limits import LimitName, Period, QuotasUnreadable, Unit, open_quota_file
from elcano.operations.quotas.quota_state import QuotasBroken, Standing, get_tenant_quotas
from elcano.service.errors import FieldFault, Forbidden, RequestInvalid
from elcano.service.fields import Described, Moment
from elcano.service.reports.results import render_csv
from elcano.storage.usage_totals import UsageGroup, UsageRow, UsageSums

JSON: Final = "application/json"
CSV: Final = "text/csv"
MOST_DAYS: Final = 3_660

usage = APIRouter(prefix="/v1/usage", tags=["quotas"], dependencies=[requires("read_usage")])
quotas = APIRouter(prefix="/v1/quotas", tags=["quotas"], dependencies=[requires("read_usage")])


class UsageFigures(Described):
    """Usage in figures. Everything that was paid for counts, failed attempts and what a rollback undid too."""

    runs: int = Field(examples=[12])
    """Runs that were started."""
    calls: int = Field(examples=[640])
    """Attempts of calls of agents and tools, searches included."""
    requests: int = Field(examples=[310])
    """Requests to models."""
    input_tokens: int = Field(examples=[410_000])
    """Tokens sent to models."""
    output_tokens: int = Field(examples=[52_000])
    """Tokens that models answered with."""
    tokens: int = Field(examples=[462_000])
    """Both together."""
    cost_usd: float = Field(examples=[1.84])
    """US dollars, at the prices of genai-prices."""
    unpriced_requests: int = Field(examples=[0])
    """Requests to models without a known price: `cost_usd` is too low by theirs."""

    @classmethod
    def of(cls, used: UsageSums) -> "UsageFigures":
        """The view of sums."""
        counted = used.model_dump(exclude={"cost_microusd"})
        return cls(**counted, tokens=used.tokens, cost_usd=usd_from_microusd(used.cost_microusd))


class UsageLine(UsageFigures):
    """The usage of one group; names by which it is not grouped are null."""

    day: date | None = Field(default=None, examples=["2026-11-26"])
    """The day in UTC."""
    tenant: str | None = Field(default=None, examples=["acme"])
    """The tenant."""
    key: str | None = Field(default=None, examples=["7q2mz0v1k3xc"])
    """The id of the API key that runs were asked for with; empty: without one."""
    mode: str | None = Field(default=None, examples=["deep"])
    """The mode that runs were asked for in."""
    model: str | None = Field(default=None, examples=["gpt-5.1"])
    """The model, or the models of one call; empty: calls without one, and the runs themselves."""
    source: str | None = Field(default=None, examples=["pubmed"])
    """The source that was searched; empty: everything but searches."""


class UsageView(Described):
    """The usage of some days."""

    first: date = Field(examples=["2026-11-01"])
    """The first day, in UTC."""
    last: date = Field(examples=["2026-11-30"])
    """The last day."""
    rows: tuple[UsageLine, ...]
    """By group."""
    total: UsageFigures
    """All together."""


@usage.get(
    "",
    response_class=Response,
    responses={
        200: {
            "model": UsageView,
            "description": "The usage, as JSON or CSV",
            "content": {CSV: {"schema": {"type": "string"}}},
        },
        **problem_docs(NotAcceptable, Forbidden),
    },
)
async def read_usage(
    services: Provided,
    process: InProcess,
    group_by: Annotated[
        list[UsageGroup], Query(max_length=6, description="What to group by; repeatable. By default days.")
    ] = ["day"],  # noqa: B006  # FastAPI copies it
    first: Annotated[
        date | None, Query(alias="from", description="The first day in UTC; by default that of the last one's month.")
    ] = None,
    last: Annotated[date | None, Query(alias="to", description="The last day, included; by default today.")] = None,
    all_tenants: Annotated[
        bool, Query(description="Whether all tenants are counted: for operators of `ELCANO_OPERATOR_TENANT`.")
    ] = False,
    accept: Annotated[str | None, Header(description=f"`{JSON}` (default) or `{CSV}`.")] = None,
) -> Response:
    """Read the usage of your tenant by day, key, mode, model or source: the ledger's true figures.

    Sums stay when a run is deleted. They are those of calls that have ended.
    """
    form = choose_media_type(accept, (JSON, CSV))
    last = last or datetime.now(UTC).date()
    first = first or last.replace(day=1)
    _require_span(first, last)
    if all_tenants:
        _require_operator(services)
    store = process.store.usage if all_tenants else services.store.usage
    groups = list(dict.fromkeys(group_by))
    rows = await store.summarize(groups, first, last)
    if form == CSV:
        headers = {"Content-Disposition": 'attachment; filename="usage.csv"', "Vary": "Accept"}
        return Response(_format_as_csv(groups, rows), media_type=CSV, headers=headers)
    total = UsageFigures.of(sum((row.used for row in rows), UsageSums()))
    lines = tuple(UsageLine.model_validate({**row.group, **UsageFigures.of(row.used).model_dump()}) for row in rows)
    view = UsageView(first=first, last=last, rows=lines, total=total)
    return Response(view.model_dump_json(exclude_none=True), media_type=JSON, headers={"Vary": "Accept"})


def _require_span(first: date, last: date) -> None:
    if first > last:
        raise RequestInvalid([FieldFault(field="from", message=f"it is {first}, which is after `to`, {last}")])
    if last - first > timedelta(days=MOST_DAYS):
        raise RequestInvalid([FieldFault(field="from", message=f"ask for {MOST_DAYS:,} days at the most")])


def _require_operator(services: Services) -> None:
    """Refuses everybody who may not see other tenants: a role of a tenant says nothing about others.

    Raises:
        Forbidden: the text says who may.
    """
    allowed = services.settings.operator_tenant
    if not allowed:
        raise Forbidden("no one sees all tenants here: ELCANO_OPERATOR_TENANT names none")
    if services.tenant != allowed or "operate" not in services.principal.permissions:
        raise Forbidden("only operators of the tenant that ELCANO_OPERATOR_TENANT names see all tenants")


def _format_as_csv(groups: list[UsageGroup], rows: list[UsageRow]) -> str:
    """One line a row, after a line of names."""
    cells = ([*(row.group[name] for name in groups), *UsageFigures.of(row.used).model_dump().values()] for row in rows)
    return render_csv([[*groups, *UsageFigures.model_fields], *cells])


class LimitView(Described):
    """State of one limit. Money is in US dollars."""

    name: LimitName = Field(examples=["tokens_a_day"])
    """The limit, as the operator's file has it."""
    key: str | None = Field(examples=[None])
    """The API key that it is of; null: the whole tenant's."""
    unit: Unit = Field(examples=["tokens"])
    """Unit of the limit."""
    period: Period = Field(examples=["day"])
    """For how long: at once, or a day or a month in UTC."""
    limit: float = Field(examples=[1_000_000])
    """The limit."""
    used: float = Field(examples=[462_000])
    """Used amount."""
    claimed: float = Field(examples=[18_000])
    """Amount claimed by requests in flight, and by open runs for their reports."""
    left: float = Field(examples=[520_000])
    """Remaining amount."""
    resets_at: Moment | None = Field(examples=["2026-11-27T00:00:00Z"])
    """When it returns; null: when a run ends."""

    @classmethod
    def of(cls, one: Standing) -> "LimitView":
        """The view of a standing."""
        figures = {"limit": one.limit, "used": one.used, "claimed": one.claimed, "left": one.left}
        amounts = {name: usd_from_microusd(value) if one.unit == "usd" else value for name, value in figures.items()}
        return cls.from_record(one, key=one.scope.api_key, unit=one.unit, period=one.period, **amounts)


class QuotasView(Described):
    """The limits that bind your runs; empty: none."""

    tenant: str = Field(examples=["acme"])
    """Your tenant."""
    limits: tuple[LimitView, ...]
    """Limits of the tenant, and of the API key that the request uses."""


@quotas.get("", responses=problem_docs(QuotasBroken))
async def read_quotas(services: Provided) -> QuotasView:
    """Read the quotas of your tenant and your API key: limits, usage, the rest of each, and when it renews."""
    file = open_quota_file()
    if file is None:
        return QuotasView(tenant=services.tenant, limits=())
    try:
        known = file.read()
    except QuotasUnreadable as error:
        raise QuotasBroken(f"{error}; the operator has to correct it") from error
    standings = await get_tenant_quotas(services.store).list_standings(known, services.principal.key_id)
    return QuotasView(tenant=services.tenant, limits=tuple(LimitView.of(one) for one in standings))
