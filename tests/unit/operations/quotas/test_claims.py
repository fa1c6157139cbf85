"""Claims of quotas: many at once take exactly what there is, on each database."""

import asyncio
import time
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from elcano.activities.calls.model_prices import ModelPrice
from elcano.graphs.contracts import AgentCall
from elcano.graphs.errors import BudgetExhausted, ModelBusy, ModelRefused
from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.budget import Estimate, Limits, Usage
from elcano.operations.quotas.claims import LONGEST_WAIT, QuotaGuard, QuotaRule
from elcano.operations.quotas.limits import QuotaFile
from elcano.operations.quotas.quota_state import QuotasBroken, get_tenant_quotas
from elcano.service.errors import MoneyUsedUp, QuotaUsedUp
from elcano.settings.model_prices import FREE
from elcano.storage.ledger import LedgerEntry
from elcano.storage.store import TenantStore

MANY = 25
"""More than there is for them, and than there are connections."""
LIMITS = Limits(tokens=10_000, reserve=0.1)
PRICED = ModelPrice("offline", FREE)


def quotas_of(folder: Path, **limits: object) -> QuotaFile:
    """A file that sets these limits for every tenant, and for every key those that begin with `key_`."""
    path = folder / "quotas.toml"
    of_tenants = {name: value for name, value in limits.items() if not name.startswith("key_")}
    of_keys = {name.removeprefix("key_"): value for name, value in limits.items() if name.startswith("key_")}
    sections = {"every_tenant": of_tenants, "every_key": of_keys}
    lines = [
        f"[{name}]\n" + "".join(f"{key} = {value}\n" for key, value in some.items()) for name, some in sections.items()
    ]
    path.write_text("\n".join(lines))
    return QuotaFile(path)


def run(number: int, api_key: str = "", tenant: str = "acme") -> ArchivedRun:
    return ArchivedRun(
        run_id=f"{tenant}-{number}",
        question="Why?",
        mode="deep",
        tenant=tenant,
        status="running",
        started_at=time.time(),
        api_key=api_key,
    )


async def admit(store: TenantStore, rule: QuotaRule, one: ArchivedRun) -> bool:
    """Whether a run is admitted."""
    try:
        return (await store.admission.admit(one, 1_000, limits=LIMITS, rules=[rule])).admitted
    except (QuotaUsedUp, MoneyUsedUp):
        return False


async def spend(store: TenantStore, run_id: str, tokens: int, cost: int = 0, activity: str = "1") -> None:
    usage = Usage(requests=1, input_tokens=tokens, cost_microusd=cost)
    line = LedgerEntry(
        run_id=run_id,
        activity=activity,
        step=1,
        attempt=1,
        node="n",
        kind="agent",
        name="n",
        model="m",
        usage=usage,
        at=time.time(),
    )
    await store.ledger.record(line)


def call(run_id: str = "acme-1", **changes: object) -> AgentCall:
    asked = AgentCall(run_id=run_id, tenant="acme", step=1, node="n", agent="judge", input={})
    return asked.model_copy(update=changes)


@pytest.mark.parametrize("limit", ["runs_at_once", "runs_a_day", "runs_a_month", "key_runs_at_once", "key_runs_a_day"])
async def test_of_many_starts_at_once_none_is_one_too_many(store: TenantStore, tmp_path: Path, limit: str) -> None:
    rule = QuotaRule(quotas_of(tmp_path, **{limit: 7}))
    admitted = await asyncio.gather(*(admit(store, rule, run(number, "key-1")) for number in range(MANY)))
    assert admitted.count(True) == 7
    assert not await admit(store, rule, run(MANY, "key-1"))
    assert await admit(store, rule, run(MANY + 1, "key-2")) == limit.startswith("key_"), "another key has its own"


async def test_a_refused_run_leaves_nothing(store: TenantStore, tmp_path: Path) -> None:
    rule = QuotaRule(quotas_of(tmp_path, runs_a_day=1))
    assert await admit(store, rule, run(1))
    assert not await admit(store, rule, run(2))
    assert await store.runs.get("acme-2") is None
    (row,) = await store.usage.summarize(["tenant"], *today())
    assert row.used.runs == 1


async def test_a_run_that_could_not_be_started_gives_its_place_back(store: TenantStore, tmp_path: Path) -> None:
    rule = QuotaRule(quotas_of(tmp_path, runs_a_day=1, runs_at_once=1))
    assert await admit(store, rule, run(1))
    await store.admission.withdraw("acme-1")
    assert await admit(store, rule, run(2))


async def test_a_refusal_says_how_it_stands_and_when_it_returns(store: TenantStore, tmp_path: Path) -> None:
    await spend(store, "acme-0", 1_200, cost=3_000_000)
    for limits, kind, says in (
        ({"tokens_a_day": 1_000}, QuotaUsedUp, "tokens_a_day of the tenant 'acme' is 1,000, of which 1,200 are used"),
        ({"usd_a_month": 2.5}, MoneyUsedUp, "usd_a_month of the tenant 'acme' is $2.50, of which $3.00 are used"),
    ):
        with pytest.raises(kind) as caught:
            await store.admission.admit(run(1), 9, limits=LIMITS, rules=[QuotaRule(quotas_of(tmp_path, **limits))])
        assert says in str(caught.value)
        assert "it returns at" in str(caught.value)
        assert caught.value.retry_after is not None
        assert 0 < caught.value.retry_after <= 32 * 86_400


async def test_requests_at_once_never_claim_more_than_there_is(store: TenantStore, tmp_path: Path) -> None:
    guard = QuotaGuard(quotas_of(tmp_path, tokens_a_day=10_000))

    async def claim(number: int) -> bool:
        try:
            await guard.claim(store, call(f"acme-{number}"), "1", Estimate(tokens=900), PRICED)
        except BudgetExhausted:
            return False
        return True

    passed = await asyncio.gather(*(claim(number) for number in range(MANY)))
    assert passed.count(True) == 11


async def test_a_quota_of_money_refuses_a_model_without_a_price(store: TenantStore, tmp_path: Path) -> None:
    guard, small = QuotaGuard(quotas_of(tmp_path, usd_a_day=1.0)), Estimate(tokens=900)
    with pytest.raises(ModelRefused, match="ELCANO_MODEL_PRICES"):
        await guard.claim(store, call(), "1", small, ModelPrice("sambanova:new"))
    await guard.claim(store, call(), "1", small, PRICED)
    counting = QuotaGuard(quotas_of(tmp_path, tokens_a_day=10_000))
    await counting.claim(store, call("acme-2"), "1", small, ModelPrice("sambanova:new"))


async def test_what_was_really_used_takes_the_place_of_a_claim(store: TenantStore, tmp_path: Path) -> None:
    guard = QuotaGuard(quotas_of(tmp_path, tokens_a_day=10_000))
    await guard.claim(store, call(), "1", Estimate(tokens=9_000), PRICED)
    with pytest.raises(BudgetExhausted, match="0 are used and 9,000 claimed by runs under way"):
        await guard.claim(store, call("acme-2"), "1", Estimate(tokens=2_000), PRICED)
    await guard.claim(store, call(), "1", Estimate(tokens=9_500), PRICED)  # a further request of the same conversation
    await spend(store, "acme-1", 4_000)
    await guard.release(store, call(), ["1"])
    await guard.claim(store, call("acme-2"), "1", Estimate(tokens=6_000), PRICED)
    await guard.release(store, call("acme-2"), ["1"])
    await spend(store, "acme-1", 10_000, activity="2")
    with pytest.raises(BudgetExhausted, match="14,000 are used"):
        await guard.claim(store, call(), "3", Estimate(tokens=1), PRICED)
    with pytest.raises(BudgetExhausted):
        await guard.claim(store, call(), "3", Estimate(), PRICED)


async def test_research_leaves_open_runs_what_they_keep_for_their_reports(store: TenantStore, tmp_path: Path) -> None:
    file = quotas_of(tmp_path, tokens_a_day=10_000)
    rule, guard = QuotaRule(file), QuotaGuard(file)
    assert await admit(store, rule, run(1))
    with pytest.raises(BudgetExhausted):
        await guard.claim(store, call(), "1", Estimate(tokens=9_001), PRICED)
    await guard.claim(store, call(at_exit=True), "1", Estimate(tokens=10_000), PRICED)
    await guard.release(store, call(), ["1"])
    await store.runs.archive(run(1).model_copy(update={"status": "completed"}), [])
    await guard.claim(store, call("acme-2"), "1", Estimate(tokens=10_000), PRICED)


async def test_money_is_claimed_at_the_average_price_so_far(store: TenantStore, tmp_path: Path) -> None:
    guard = QuotaGuard(quotas_of(tmp_path, usd_a_day=2.0))
    await spend(store, "acme-0", 1_000, cost=1_000_000)
    await guard.claim(store, call(), "1", Estimate(tokens=900), PRICED)
    with pytest.raises(BudgetExhausted) as caught:
        await guard.claim(store, call("acme-2"), "1", Estimate(tokens=200), PRICED)
    assert caught.value.exhausted == "cost"


async def test_a_run_that_may_wait_is_told_until_when(store: TenantStore, tmp_path: Path) -> None:
    await spend(store, "acme-0", 5_000)
    guard = QuotaGuard(quotas_of(tmp_path, tokens_a_day=5_000))
    with pytest.raises(ModelBusy) as caught:
        await guard.claim(store, call(may_wait=True), "1", Estimate(tokens=10), PRICED)
    assert caught.value.retry_after is not None
    assert 0 < caught.value.retry_after <= LONGEST_WAIT


async def test_a_broken_file_starts_no_run_and_holds_those_under_way(store: TenantStore, tmp_path: Path) -> None:
    file = quotas_of(tmp_path, tokens_a_day=-5)
    with pytest.raises(QuotasBroken, match="tokens_a_day = -5"):
        await store.admission.admit(run(1), 9, limits=LIMITS, rules=[QuotaRule(file)])
    assert await store.runs.get("acme-1") is None
    with pytest.raises(ModelBusy, match="tokens_a_day = -5"):
        await QuotaGuard(file).claim(store, call(), "1", Estimate(tokens=1), PRICED)


async def test_deleting_a_run_gives_no_quota_back(store: TenantStore, tmp_path: Path) -> None:
    rule = QuotaRule(quotas_of(tmp_path, tokens_a_day=1_000))
    await store.runs.archive(run(1).model_copy(update={"status": "completed"}), [])
    await spend(store, "acme-1", 1_000)
    assert await store.runs.delete("acme-1")
    assert not await admit(store, rule, run(2))
    (standing,) = await get_tenant_quotas(store).list_standings(QuotaFile(tmp_path / "quotas.toml").read(), "")
    assert (standing.used, standing.left) == (1_000, 0)


def today() -> tuple[date, date]:
    """From when to when is today."""
    day = datetime.now(UTC).date()
    return day, day
