"""What sections have done is known while they work and after, and the page shows every search of theirs."""

import re
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from elcano.doors.page.formats import count_things
from elcano.doors.page.run_pages import list_searches
from elcano.storage.store import Store
from tests.api.again.going_on import ended
from tests.api.again.test_steps import QUESTION, answered
from tests.api.asking import start


@pytest.mark.usefixtures("researching")
async def test_the_calls_of_sections_say_what_the_sections_themselves_say(api: httpx.AsyncClient, store: Store) -> None:
    """At the end both are known: what a section told its run, and what the ledger and the evidence say."""
    run_id = await start(api, QUESTION, mode="deep")
    run = await ended(api, run_id)
    done = await store.of("default").ledger.progress_of_branches(run_id)
    sections = [await answered(api, f"/v1/runs/{branch['run_id']}") for branch in run["branches"]]
    assert sections
    for branch, section in zip(run["branches"], sections, strict=True):
        found = done[branch["run_id"]]
        assert (found.iterations, found.tokens) == (branch["iterations"], branch["tokens"])
        assert 0 < found.steps <= section["steps"]
    found_by_sections = [await answered(api, f"/v1/runs/{branch['run_id']}/evidence") for branch in run["branches"]]
    assert run["sections"] == {
        "open": 0,
        "ended": len(sections),
        "iterations": sum(branch["iterations"] for branch in run["branches"]),
        "steps": sum(done[branch["run_id"]].steps for branch in run["branches"]),
        "evidence": len({passage["id"] for page in found_by_sections for passage in page["evidence"]}),
    }


@pytest.mark.usefixtures("researching")
async def test_the_page_of_sources_shows_every_search_of_every_section(api: httpx.AsyncClient) -> None:
    run_id = await start(api, QUESTION, mode="deep")
    run = await ended(api, run_id)
    expected: list[Mapping[str, Any]] = []
    for one in (run_id, *(branch["run_id"] for branch in run["branches"])):
        steps = (await answered(api, f"/v1/runs/{one}"))["steps"]
        state = await answered(api, f"/v1/runs/{one}/steps/{steps}")
        expected += list_searches(state["after"] or state["before"])
    assert len(expected) > len(run["branches"]) > 0
    page = (await api.get(f"/runs/{run_id}/sources", headers={"Accept": "text/html"})).text
    table = page[page.index("<tbody>") : page.index("</tbody>")]
    assert len(re.findall("<tr>", table)) == len(expected)
    for branch in run["branches"]:
        assert f'<td dir="auto">{branch["section"]}</td>' in table
    later = (await api.get(f"/runs/{run_id}/sources?section=20", headers={"Accept": "text/html"})).text
    assert branch["section"] not in later


@pytest.mark.usefixtures("researching")
async def test_the_page_of_a_run_says_whose_figures_are_shown_and_leaves_bookkeeping_to_the_steps(
    api: httpx.AsyncClient,
) -> None:
    run_id = await start(api, QUESTION, mode="deep")
    run = await ended(api, run_id)
    page, steps = [
        (await api.get(f"/runs/{run_id}{view}", headers={"Accept": "text/html"})).text
        for view in ("?view=overview", "/steps")
    ]
    assert f"ended, after {count_things(run['sections']['iterations'], 'round')}" in page
    passages = count_things((await answered(api, f"/v1/runs/{run_id}/evidence"))["total"], "passage")
    assert f"{passages} found" in page
    assert "Outline" in steps
    assert "Outline" not in page
    assert not [inner for inner in ("Store plan", "Collect drafts", "Parallel loops") if inner in f"{steps}{page}"]
