"""An answer has a tag by which it need not be sent again, as long as it is the same."""

import httpx
import pytest

from elcano.cli.reports import MEDIA_TYPES
from elcano.storage.store import Store
from tests.api.asking import start
from tests.api.test_results import reported as reported


@pytest.mark.parametrize("form", MEDIA_TYPES.values())
async def test_a_report_is_sent_once_in_each_form(api: httpx.AsyncClient, reported: str, form: str) -> None:
    path = f"/v1/runs/{reported}/report"
    first = await api.get(path, headers={"Accept": form})
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == "private, no-cache"
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = await api.get(path, headers={"Accept": form, "If-None-Match": known})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
        assert again.headers["vary"] == first.headers["vary"]
        assert "content-type" not in again.headers
    changed = await api.get(path, headers={"Accept": form, "If-None-Match": '"other"'})
    assert (changed.status_code, changed.content) == (200, first.content)
    head = await api.head(path, headers={"Accept": form})
    assert (head.headers["etag"], head.content) == (tag, b"")


async def test_forms_of_one_report_have_tags_of_their_own(api: httpx.AsyncClient, reported: str) -> None:
    answers = [await api.get(f"/v1/runs/{reported}/report", headers={"Accept": form}) for form in MEDIA_TYPES.values()]
    assert len({answer.headers["etag"] for answer in answers}) == len(MEDIA_TYPES)


async def test_a_run_is_sent_again_once_it_changed(api: httpx.AsyncClient, store: Store, reported: str) -> None:
    tag = (await api.get("/v1/runs")).headers["etag"]
    assert (await api.get("/v1/runs", headers={"If-None-Match": tag})).status_code == 304
    await start(api)
    assert (await api.get("/v1/runs", headers={"If-None-Match": tag})).status_code == 200


async def test_refusals_and_changes_have_none(api: httpx.AsyncClient) -> None:
    refused = await api.get("/v1/runs/run-9", headers={"If-None-Match": "*"})
    assert (refused.status_code, "etag" in refused.headers) == (404, False)
    checked = await api.post("/v1/graphs/validate", json={}, headers={"If-None-Match": "*"})
    assert (checked.status_code, "etag" in checked.headers) == (200, False)
