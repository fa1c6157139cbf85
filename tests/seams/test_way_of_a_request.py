"""How many files somebody has to read who follows a request: ceilings, so that the way does not grow again."""

import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import Final

import httpx
from temporalio.client import Client

from elcano.settings.settings import Settings
from elcano.storage.store import open_store
from tests.api.again.going_on import serving_alone
from tests.seams.trace import count_returns, installed_trace, list_stays

STAYS: Final = 39
"""In files of the product, from the route to what Temporal is asked for: calls within a file that follow each other.

Four of them look at the workers, which a request does whose predecessor is some seconds old.
"""
RETURNS: Final = 14
"""To a file that was left."""
STAYS_IN_API: Final = 16
RETURNS_IN_API: Final = 5
"""The same in files of the API alone."""
FILES_OF_A_RUN: Final = 245
"""That the API and a worker enter from the request to the report, with those of plugins that stand beside every run.

Some are entered or not, as it happens: by heartbeats, and by what is looked at again.
"""
HANDBOOK: Final = """# Handbook

## Heating

The boiler of the house is serviced in May. Its filter is changed every two years, and the pump every ten years.

## Water

The water is tested every spring. A filter under the sink lasts six months.
"""
BODY: Final = {"question": "How often are the filters of the house changed?", "mode": "deep", "model": "offline"}


@asynccontextmanager
async def serve_handbook(folder: Path, temporal: Client) -> AsyncIterator[httpx.AsyncClient]:
    """An API with one folder of documents, and a worker beside it in the same environment.

    On a queue of their own: what another test has left on that of the product is not to be done, and paid for, here.
    """
    (folder / "docs").mkdir()
    (folder / "docs" / "handbook.md").write_text(HANDBOOK, encoding="utf-8")
    settings = Settings.model_validate(
        {
            "data_dir": folder / "data",
            "collections": {"handbook": folder / "docs"},
            "package_readmes": False,
            "shared_environment": True,
        }
    )
    async with open_store(folder / "data") as store, serving_alone(temporal, store, settings) as api:
        yield api


async def follow_run(api: httpx.AsyncClient, temporal: Client) -> None:
    """A deep run, from the request to the report."""
    answer = await api.post("/v1/runs", json=BODY)
    assert answer.status_code == 201, answer.text
    run_id = answer.json()["run_id"]
    await temporal.get_workflow_handle(run_id).result()
    assert (await api.get(f"/v1/runs/{run_id}/report")).status_code == 200


def clear_caches() -> None:
    """What another test has cached is entered again."""
    for one in gc.get_objects():
        if isinstance(one, _lru_cache_wrapper) and (one.__module__ or "").startswith("elcano."):
            one.cache_clear()


async def test_the_way_of_a_request_and_of_its_run_is_short(tmp_path: Path, temporal: Client) -> None:
    clear_caches()
    with installed_trace() as trace:
        async with serve_handbook(tmp_path, temporal) as api:
            with trace.recording():
                await follow_run(api, temporal)
            files = {file for file, function in trace.calls if function != "<module>"}
            trace.calls.clear()  # what is loaded late is loaded
            with trace.recording():
                answer = await api.post("/v1/runs", json=BODY, headers={"Idempotency-Key": "once"})
            assert answer.status_code == 201
    way = trace.between("start_run", "describe_workflow")
    stays, stays_in_api = list_stays(way), list_stays([call for call in way if call[0].startswith("api/")])
    assert len(files) <= FILES_OF_A_RUN, sorted(files)
    assert len(stays) <= STAYS, "\n".join(stays)
    assert count_returns(stays) <= RETURNS, stays
    assert len(stays_in_api) <= STAYS_IN_API, stays_in_api
    assert count_returns(stays_in_api) <= RETURNS_IN_API, "\n".join(stays_in_api)
