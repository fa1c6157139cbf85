"""A run that goes on is listed with where it is; if Temporal says nothing at once, as it was accepted."""

from collections.abc import Sequence
from typing import Any

import httpx
import pytest
from temporalio.client import Client

from elcano.api.http.errors import TemporalUnavailable
from elcano.api.temporal import glance
from elcano.api.temporal.execution import UnderWay
from tests.api.asking import start


async def listed(api: httpx.AsyncClient) -> Any:
    (run,) = (await api.get("/v1/runs")).json()["runs"]
    return run["status"], run["stage"], run["choice"]


@pytest.mark.parametrize(
    ("mode", "stage", "shown"),
    [
        ("auto/deep", "approval", ("approval", {"mode": "deep", "reason": ""})),
        ("auto", "researching", ("researching", None)),
        ("auto/simple", "a stage of a later program", (None, {"mode": "simple", "reason": ""})),
    ],
)
async def test_a_run_that_goes_on_is_listed_with_its_mode_and_stage(
    api: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, mode: str, stage: str, shown: tuple[Any, Any]
) -> None:
    async def under_way(client: Client, run_ids: Sequence[str]) -> dict[str, UnderWay]:
        return {one: UnderWay(mode=mode, stage=stage) for one in run_ids}

    monkeypatch.setattr(glance, "under_way", under_way)
    await start(api, "Why?", mode="auto")
    assert await listed(api) == ("running", *shown)


async def test_a_list_does_not_wait_for_temporal(api: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    async def under_way(client: Client, run_ids: Sequence[str]) -> dict[str, UnderWay]:
        asked.append(run_ids)
        raise TemporalUnavailable("Temporal does not answer")

    monkeypatch.setattr(glance, "under_way", under_way)
    await start(api, "Why?", mode="auto")
    assert [await listed(api) for _ in range(3)] == [("running", None, None)] * 3
    assert len(asked) == 1, "who did not answer is left in peace for a while"
