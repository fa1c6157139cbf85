"""Lists of runs: up to a thousand rows of a table do not hide what people asked."""

from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse
from starlette.routing import Route

from elcano.doors.page.public_api import MOST_RUNS_READ, PublicApi, list_single_runs


def serve(runs: list[dict[str, Any]]) -> PublicApi:
    """The API over these runs, the newest first; a cursor is the id of the last one that was listed."""

    async def list_runs(request: HttpRequest) -> JSONResponse:
        limit, cursor = int(request.query_params["limit"]), request.query_params.get("cursor")
        at = [run["run_id"] for run in runs].index(cursor) + 1 if cursor else 0
        page = runs[at : at + limit]
        return JSONResponse({"runs": page, "next": page[-1]["run_id"] if at + limit < len(runs) else None})

    app = Starlette(routes=[Route("/v1/runs", list_runs)])
    scope = {"type": "http", "app": app, "scheme": "http", "path": "/", "query_string": b"", "headers": []}
    return PublicApi(HttpRequest({**scope, "client": ("127.0.0.1", 1), "server": ("localhost", 80)}))


def build_runs(*counts: tuple[str, int]) -> list[dict[str, Any]]:
    priorities = [priority for priority, count in counts for _ in range(count)]
    return [{"run_id": f"run-{at}", "priority": priority} for at, priority in enumerate(priorities)]


async def test_rows_of_a_table_do_not_hide_what_was_asked_before() -> None:
    api = serve(build_runs(("interactive", 1), ("batch", 500), ("interactive", 3), ("batch", 9)))
    found, following = await list_single_runs(api, 6)
    assert ([run["run_id"] for run in found], following) == (["run-0", "run-501", "run-502", "run-503"], None)


async def test_a_list_continues_behind_its_last_run_and_none_is_left_out() -> None:
    api = serve(build_runs(*[("interactive", 1), ("batch", 2)] * 20))
    seen, before = list[str](), None
    while True:
        found, before = await list_single_runs(api, 3, before=before)
        seen += [run["run_id"] for run in found]
        if before is None:
            break
    assert seen == [f"run-{3 * at}" for at in range(20)]


async def test_nobody_waits_for_all_rows_of_many_tables() -> None:
    api = serve(build_runs(("batch", 2 * MOST_RUNS_READ), ("interactive", 1)))
    found, following = await list_single_runs(api, 6)
    assert found == []
    assert following is not None
    assert [run["run_id"] for run in (await list_single_runs(api, 6, before=following))[0]] == [
        f"run-{2 * MOST_RUNS_READ}"
    ]
