"""A key starts one run: whatever has changed since, whoever comes at the same time, and wherever somebody died."""

import asyncio
import random
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest
from fastapi import FastAPI
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select
from temporalio.client import Client

from elcano.api.services import Services
from elcano.graphs.contracts import Engine
from elcano.graphs.mode_choice import MODES
from elcano.graphs.records import ArchivedRun
from elcano.graphs.run_contracts import ResearchInput
from elcano.service.errors import FieldFault, KeyReused, RequestInvalid, RunForgotten, TooManyRuns
from elcano.service.permissions import Principal
from elcano.service.runs.judgement import JudgedRun, judge_request
from elcano.service.runs.submission import submit_run
from elcano.service.temporal.client import Temporal
from elcano.settings.settings import Settings
from elcano.storage.admission import Admission
from elcano.storage.idempotency_keys import RequestKey
from elcano.storage.sql.tables import idempotency_keys, runs
from elcano.storage.store import Store, open_store
from tests.api.asking import QUESTION
from tests.api.serving import speaking
from tests.unit.graphs.samples import asked as sample

BODY = {"question": QUESTION, "mode": "iterative", "sources": ["handbook"]}
KEY = {"Idempotency-Key": "once"}


async def kept(store: Store) -> tuple[int, int]:
    """How many keys and runs there are."""
    async with store._engine.connect() as connection:
        counted = [await connection.scalar(select(func.count()).select_from(one)) for one in (idempotency_keys, runs)]
    return counted[0] or 0, counted[1] or 0


async def test_a_request_that_cannot_work_any_more_gets_the_run_that_it_started(
    api: httpx.AsyncClient, make_app: Callable[[Settings], FastAPI], api_settings: Settings, tmp_path: Path
) -> None:
    first = await api.post("/v1/runs", json=BODY, headers=KEY)
    assert first.status_code == 201
    renamed = api_settings.model_copy(update={"collections": {"manual": tmp_path}})
    async with speaking(make_app(renamed)) as later:
        again = await later.post("/v1/runs", json=BODY, headers=KEY)
        assert (again.status_code, again.json()["run_id"]) == (200, first.json()["run_id"])
        other = await later.post("/v1/runs", json={**BODY, "sources": ["manual"]}, headers=KEY)
        assert (other.status_code, other.json()["type"]) == (422, "urn:elcano:key-reused")
        assert (await later.post("/v1/runs", json=BODY)).json()["type"] == "urn:elcano:request-invalid"


async def test_a_refused_request_leaves_nothing_and_its_key_is_free(api: httpx.AsyncClient, store: Store) -> None:
    refused = await api.post("/v1/runs", json={**BODY, "sources": ["nowhere"]}, headers=KEY)
    assert refused.status_code == 422
    assert await kept(store) == (0, 0)
    accepted = await api.post("/v1/runs", json=BODY, headers=KEY)
    assert accepted.status_code == 201
    assert await kept(store) == (1, 1)


@pytest.mark.parametrize("started", [False, True])
async def test_a_request_goes_on_where_a_process_died(
    api: httpx.AsyncClient, store: Store, temporal: Client, monkeypatch: pytest.MonkeyPatch, started: bool
) -> None:
    real = Temporal.start

    async def dies(self: Temporal, *given: Any) -> bool:
        if started:
            await real(self, *given)
        raise asyncio.CancelledError

    with monkeypatch.context() as dying:
        dying.setattr(Temporal, "start", dies)
        with pytest.raises(asyncio.CancelledError):
            await api.post("/v1/runs", json=BODY, headers=KEY)
    assert await kept(store) == (1, 1)
    assert (await api.get("/v1/runs")).json()["runs"] == []
    again = await api.post("/v1/runs", json=BODY, headers=KEY)
    assert again.status_code == (200 if started else 201)
    assert await kept(store) == (1, 1)
    assert (await temporal.get_workflow_handle(again.json()["run_id"]).describe()).status is not None
    (listed,) = (await api.get("/v1/runs")).json()["runs"]
    assert listed["run_id"] == again.json()["run_id"]


async def test_a_fork_is_started_once_though_what_it_forked_is_gone(api: httpx.AsyncClient, store: Store) -> None:
    admission = store.of("default").admission
    await admission.claim("unused", "hash", "default-unused")
    await admission.give_back("unused", "default-unused")
    assert await admission.find_claim("unused") is None
    answer = await api.post("/v1/runs/default-nowhere/fork", json={"step": 2}, headers=KEY)
    assert answer.status_code == 404
    assert await kept(store) == (0, 0)


async def test_graphs_are_walked_beside_the_event_loop(api: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    threads = []

    def judge(*given: Any) -> Any:
        threads.append(threading.current_thread())
        return judge_request(*given)

    monkeypatch.setattr("elcano.service.runs.request_facts.judge_request", judge)
    assert (await api.post("/v1/runs", json=BODY)).status_code == 201
    assert threads
    assert threading.main_thread() not in threads


class World:
    """A server of Temporal, an admission and a judge, which let the others have their turn whenever they are asked."""

    def __init__(self, store: Store, chosen: random.Random) -> None:
        self.store = store
        self.chosen = chosen
        self.started: set[str] = set()
        self.accepts = True

    async def turns(self) -> None:
        if self.chosen.random() < 0.06:
            raise asyncio.CancelledError  # the process dies here
        for _ in range(self.chosen.randrange(4)):
            await asyncio.sleep(0)
        if self.chosen.random() < 0.2:
            self.accepts = not self.accepts

    async def calm(self) -> None:
        """Nothing happens in between any more."""

    async def check(self) -> None:
        await self.turns()

    async def describe(self, run_id: str) -> None:
        await self.turns()
        if run_id not in self.started:
            raise RunForgotten(run_id)

    async def start(self, asked: ResearchInput, engine: Engine) -> bool:
        await self.turns()
        new = asked.run_id not in self.started
        self.started.add(asked.run_id)
        await self.turns()
        return new

    async def admit(self, run: ArchivedRun, at_most: int, key: RequestKey | None, **beside: Any) -> Admission:
        await self.turns()
        if self.accepts and self.chosen.random() < 0.2:
            return Admission(admitted=False, open=9, share=9)
        return await self.store.of(run.tenant).admission.admit(run, at_most, key, **beside)

    async def judge(self, run_id: str) -> JudgedRun:
        await self.turns()
        if not self.accepts:
            raise RequestInvalid([FieldFault(field="sources", message="renamed")])
        return JudgedRun(sample(MODES["iterative"]).model_copy(update={"run_id": run_id}), "graph")

    async def ask(self, said: str) -> str | None:
        """The run that a request starts or gets; None if it is refused, or whoever asked died."""
        kept = self.store.of("default")
        admission = SimpleNamespace(
            admit=self.admit, find_claim=kept.admission.find_claim, give_back=kept.admission.give_back
        )
        store = SimpleNamespace(runs=kept.runs, admission=admission)
        services = SimpleNamespace(
            tenant="default",
            principal=Principal(),
            admission_rules=(),
            temporal=self,
            store=store,
            address="",
            settings=Settings().model_copy(update={"open_runs": 9}),
        )
        key = RequestKey(key="once", request_hash=said)
        try:
            return (await submit_run(self.judge, key, cast("Services", services))).run.run_id
        except (RequestInvalid, TooManyRuns, KeyReused, asyncio.CancelledError):
            return None


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_however_requests_interleave_a_key_starts_one_run(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    async def trial() -> None:
        chosen = random.Random(seed)
        async with open_store(tmp_path_factory.mktemp("store")) as store:
            world = World(store, chosen)
            answers: set[str] = set()
            for _ in range(3):
                given_out = await asyncio.gather(*(world.ask("same") for _ in range(3)))
                answers |= {run_id for run_id in given_out if run_id is not None}
            world.chosen = random.Random()
            world.turns = world.calm  # type: ignore[method-assign]
            assert len(world.started) <= 1, "one key, one run"
            assert answers <= world.started
            world.accepts = False
            if world.started:
                assert await world.ask("same") in world.started, "whatever has changed"
                assert await world.ask("other") is None
            else:
                for open_run in await store.open_runs(limit=9):  # as the reconciler does
                    await store.of("default").admission.withdraw(open_run.run.run_id)
                assert await world.ask("same") is None
                assert await kept(store) == (0, 0)

    asyncio.run(trial())
