"""What HTTP asks of every path: methods, bodies that cannot be read, and the pages that a person sees."""

import json
import re
from importlib.metadata import version
from pathlib import Path

import httpx
import pytest

from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.events import AgentEvent
from elcano.storage.store import Store
from tests.api.asking import start_at

ROOT = Path(__file__).parents[2]
JSON = {"Content-Type": "application/json"}


@pytest.fixture
async def kept(store: Store) -> str:
    event = AgentEvent(seq=1, type="complete", message="Done", at=1.0, step=1, iteration=1)
    run = ArchivedRun(run_id="run-1", question="q", mode="iterative", status="completed", started_at=1.0)
    await store.of("default").runs.archive(run, [event])
    return run.run_id


async def test_a_path_says_all_its_methods(api: httpx.AsyncClient, subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("/v1/runs", "GET, POST, HEAD, OPTIONS"),
        ("/v1/runs/run-1", "GET, DELETE, HEAD, OPTIONS"),
        ("/v1/runs/run-1/stop", "POST, OPTIONS"),
        ("/docs", "GET, HEAD, OPTIONS"),
        ("/v1/graphs/validate", "POST, OPTIONS"),  # and not what any name of a graph has
        ("/v1/graphs/schema", "GET, HEAD, OPTIONS"),
        ("/v1/graphs/iterative", "GET, DELETE, HEAD, OPTIONS"),
    ]
    for path, allowed in cases:
        with subtests.test(path=path, allowed=allowed):
            options = await api.options(path)
            refused = await api.put(path)
            assert (options.status_code, options.headers["allow"]) == (204, allowed)
            assert (refused.status_code, refused.headers["allow"]) == (405, allowed)
            assert allowed in refused.json()["detail"]


async def test_a_path_that_there_is_not_has_no_methods(api: httpx.AsyncClient) -> None:
    assert (await api.options("/nothing")).status_code == 404


async def test_a_path_that_there_is_not_says_what_there_is(api: httpx.AsyncClient) -> None:
    mistyped, strange = await api.get("/v1/rns"), await api.get("/favicon.png")
    for answer in (mistyped, strange):
        problem = answer.json()
        assert (answer.status_code, problem["type"], problem["title"]) == (
            404,
            "urn:elcano:path-not-found",
            "No such path",
        )
        assert "`/docs` describes all paths" in problem["detail"]
    assert "did you mean `/v1/runs`?" in mistyped.json()["detail"]
    assert "did you mean" not in strange.json()["detail"]


async def test_fields_that_there_are_not_are_named_beside_all_other_faults(api: httpx.AsyncClient) -> None:
    body = {
        "question": "Why?",
        "budget": {"tokns": 5, "seconds": "9"},
        "model": {"defalt": "x"},
        "colour": 1,
        "mode": 3,
    }
    answer = await api.post("/v1/runs", json=body)
    said = {fault["field"]: fault["message"] for fault in answer.json()["errors"]}
    assert said.keys() == {"budget.tokns", "budget.seconds", "model.defalt", "colour", "mode"}
    assert said["budget.tokns"] == "there is no such field; did you mean 'tokens'?"
    assert said["model.defalt"] == "there is no such field; did you mean 'default'?"
    assert said["colour"].startswith("there is no such field; there are: question, mode, ")
    assert said["budget.seconds"] == "must be a number"


async def test_only_a_name_that_is_close_is_suggested(api: httpx.AsyncClient) -> None:
    answer = await api.post("/v1/runs", json={"question": "Why?", "sources": ["nowhere", "handbok"]})
    nowhere, mistyped = answer.json()["errors"]
    assert "unknown source 'nowhere'; known: " in nowhere["message"]
    assert "unknown source 'handbok'; did you mean 'handbook'?" in mistyped["message"]


async def test_head_answers_as_get_does_without_the_body(
    api: httpx.AsyncClient, kept: str, subtests: pytest.Subtests
) -> None:
    cases: list[str] = ["/", "/docs", "/healthz", "/v1/runs", "/v1/runs/run-1", "/v1/graphs", "/nothing"]
    for path in cases:
        with subtests.test(path=path):
            head, get = await api.head(path), await api.get(path)
            assert (head.status_code, head.content) == (get.status_code, b"")
            assert head.headers == get.headers


@pytest.mark.parametrize("run", ["ended", "running"])
async def test_head_of_a_stream_does_not_wait_for_it(served: str, kept: str, run: str) -> None:
    run_id = kept if run == "ended" else await start_at(served)
    async with httpx.AsyncClient(base_url=served, timeout=30) as client:
        answer = await client.head(f"/v1/runs/{run_id}/events")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/event-stream")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"{", "not JSON at character 1"),
        (b'{"question": "\xff"}', "not UTF-8: byte 14"),
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
        (b'{"question": ' + b"7" * 5_000 + b"}", "too many digits"),
    ],
)
@pytest.mark.parametrize("path", ["/v1/runs", "/v1/graphs/validate", "/v1/runs/run-1/stop"])
async def test_a_body_that_cannot_be_read_says_why(api: httpx.AsyncClient, path: str, body: bytes, said: str) -> None:
    answer = await api.post(path, content=body, headers=JSON)
    assert answer.status_code == 400
    assert answer.json()["type"] == "urn:elcano:body-unreadable"
    assert said in answer.json()["detail"]


async def test_a_body_that_is_not_sent_as_json_is_told_what_to_send(
    api: httpx.AsyncClient, subtests: pytest.Subtests
) -> None:
    media_types: list[str | None] = ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", None]
    paths: list[str] = ["/v1/runs", "/v1/graphs/validate", "/v1/runs/run-1/stop"]
    for media_type in media_types:
        for path in paths:
            with subtests.test(media_type=media_type, path=path):
                headers = {} if media_type is None else {"Content-Type": media_type}
                answer = await api.post(path, content=b'{"question": "Why?"}', headers=headers)
                assert answer.status_code == 415
                assert answer.json()["type"] == "urn:elcano:media-type-unsupported"
                assert "Content-Type: application/json" in answer.json()["detail"]


async def test_json_by_any_of_its_names_is_read(api: httpx.AsyncClient, subtests: pytest.Subtests) -> None:
    cases: list[str] = ["application/json; charset=utf-8", "Application/JSON", "application/ld+json"]
    for media_type in cases:
        with subtests.test(media_type=media_type):
            answer = await api.post("/v1/graphs/validate", content=b"{}", headers={"Content-Type": media_type})
            assert answer.status_code == 200


async def test_a_place_in_the_list_that_is_none_is_refused(
    api: httpx.AsyncClient, kept: str, subtests: pytest.Subtests
) -> None:
    cases: list[str] = ["zzz", "", "run-", "run-1 OR 1", "run-1.0004.loop-1"]
    for before in cases:
        with subtests.test(before=before):
            answer = await api.get("/v1/runs", params={"cursor": before})
            assert answer.status_code == 422
            assert [fault["field"] for fault in answer.json()["errors"]] == ["cursor"]
            assert "`next`" in answer.text


async def test_the_address_alone_leads_on(api: httpx.AsyncClient) -> None:
    answer = await api.get("/")
    page = await api.get("/", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert answer.json()["name"] == "Elcano"
    assert page.headers["content-type"].startswith("text/html")
    assert f'href="{answer.json()["links"]["manual"]}"' in page.text
    for link in answer.json()["links"].values():
        assert (await api.get(link)).status_code in (200, 503), link


@pytest.mark.parametrize("path", ["/", "/docs"])
async def test_pages_load_nothing_from_elsewhere(api: httpx.AsyncClient, path: str) -> None:
    page = await api.get(path, headers={"Accept": "text/html"})
    assert "//" not in re.sub(r"<!--.*?-->", "", page.text, flags=re.DOTALL)
    assert "'self'" in page.headers["content-security-policy"]
    for place in re.findall(r'(?:src|href)="(/[^"]*)"', page.text):
        assert (await api.get(place)).status_code in (200, 503), place


async def test_the_manual_shows_our_own_document(api: httpx.AsyncClient) -> None:
    page = (await api.get("/docs")).text
    assert '"/openapi.json"' in page.replace("'", '"')
    assert json.loads((await api.get("/openapi.json")).text)["info"]["title"] == "Elcano"


async def test_the_version_is_the_projects(api: httpx.AsyncClient) -> None:
    assert (await api.get("/")).json()["version"] == version("elcano-research")
