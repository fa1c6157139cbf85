"""A list of runs is narrowed by what a run is, and its pages go on through what is left."""

from datetime import UTC, datetime

import httpx
import pytest

from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.budget import Budget, Usage
from elcano.graphs.state.state import Choice
from elcano.storage.store import Store
from tests.api.asking import start

DAY = 86_400.0


@pytest.fixture
async def five(store: Store) -> None:
    """One run a day: iterative, deep, auto that chose deep, iterative, deep."""
    modes = [("iterative", ""), ("deep", ""), ("auto", "deep"), ("iterative", ""), ("deep", "")]
    for day, (mode, chosen) in enumerate(modes, 1):
        run = ArchivedRun(
            run_id=f"default-01kb{day}",
            question=f"What does 100 % of Day_{day} cost?",
            mode=mode,
            choice=Choice(mode=chosen),
            status="completed" if day % 2 else "partial",
            started_at=day * DAY,
            api_key="" if day % 2 else "k2",
            finished_at=day * DAY + 1,
            iterations=3,
            steps=9,
            budget=Budget(used=Usage(cost_microusd=day % 3)).view(),
        )
        await store.of("default").runs.archive(run, [])


def at(day: float) -> str:
    return datetime.fromtimestamp(day * DAY, UTC).isoformat()


async def test_a_list_is_narrowed(api: httpx.AsyncClient, five: None, subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, str], list[int]]] = [
        ({}, [5, 4, 3, 2, 1]),
        ({"mode": "deep"}, [5, 3, 2]),
        ({"mode": "auto"}, [3]),
        ({"mode": "deep", "status": "partial"}, [2]),
        ({"created_after": at(2), "created_before": at(4.5)}, [4, 3]),
        ({"created_after": "1970-01-03T02:00:00+02:00"}, [5, 4, 3]),
        ({"question": "DAY_4"}, [4]),
        ({"question": "100 % of day"}, [5, 4, 3, 2, 1]),
        ({"question": "day%4"}, []),
        ({"run_id": "01kb5"}, [5]),
        ({"run_id": "%"}, []),
        ({"api_key": "k2"}, [4, 2]),
        ({"api_key": ""}, [5, 3, 1]),
        ({"order": "oldest", "api_key": "k2"}, [2, 4]),
        ({"order": "oldest", "cursor": "default-01kb2"}, [3, 4, 5]),
        ({"order": "cost"}, [5, 2, 4, 1, 3]),
        ({"order": "cost", "cursor": "default-01kb2"}, [4, 1, 3]),
    ]
    for asked, days in cases:
        with subtests.test(asked=asked, days=days):
            shown = (await api.get("/v1/runs", params=asked)).raise_for_status().json()
            assert [run["run_id"] for run in shown["runs"]] == [f"default-01kb{day}" for day in days]


async def test_pages_of_a_filtered_list_leave_nothing_out(api: httpx.AsyncClient, five: None) -> None:
    found: list[str] = []
    mark: dict[str, str] = {}
    while True:
        page = (await api.get("/v1/runs", params={"mode": "deep", "limit": 2, **mark})).json()
        found += [run["run_id"] for run in page["runs"]]
        if page["next"] is None:
            break
        mark = {"cursor": page["next"]}
    assert page["runs"][0]["api_key"] == "k2"
    assert found == ["default-01kb5", "default-01kb3", "default-01kb2"]


async def test_a_moment_without_a_time_zone_is_refused(api: httpx.AsyncClient, subtests: pytest.Subtests) -> None:
    cases: list[str] = ["yesterday", "2026-11-18", "2026-11-18T08:26:40"]
    for moment in cases:
        with subtests.test(moment=moment):
            answer = await api.get("/v1/runs", params={"created_after": moment})
            assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "created_after")


async def test_a_list_tells_no_figures_that_nobody_told(api: httpx.AsyncClient, five: None) -> None:
    run_id = await start(api)
    running, *ended = (await api.get("/v1/runs")).json()["runs"]
    assert (running["run_id"], running["status"]) == (run_id, "running")
    assert (running["iterations"], running["steps"], running["evidence"]) == (None, None, None)
    assert all((run["iterations"], run["steps"], run["evidence"]) == (3, 9, 0) for run in ended)
