"""Reports that are brought up to date: what still stands is kept, and only what has changed is written anew."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import httpx
import pytest
from temporalio.client import Client

from elcano.doors.certificates.verify_command import compare_certificate
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.frozen import JsonObject
from elcano.graphs.text import ensure_list
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import Json, Provider, ended, working
from tests.api.asking import start
from tests.cases import long_case

QUESTION = "What is known of the harbour?"
MOST_SHARE = 0.3
"""Of the tokens of as many runs that begin anew."""
FACTS = {
    "ice": "The harbour froze in January.",
    "ships": "The harbour has room for 40 ships.",
    "walls": "The harbour has walls of granite.",
}


def write(folder: Path, name: str, fact: str) -> None:
    (folder / f"{name}.md").write_text(f"# Harbour: {name}\n\n{fact}\n", encoding="utf-8")


def fill_folder(settings: Settings, facts: Mapping[str, str]) -> Path:
    """The folder of the collection, with a file for each fact and no other."""
    folder = settings.collections["handbook"]
    (folder / "retries.md").unlink()
    for name, fact in facts.items():
        write(folder, name, fact)
    return folder


def prose(facts: Sequence[tuple[str, str]]) -> Json:
    """A report of one finding for each fact, with the key of its passage."""
    marked = [(f"m{place}", key, fact) for place, (key, fact) in enumerate(dict.fromkeys(facts))]
    return {
        "title": "The harbour",
        "introduction": "",
        "key_findings": "\n\n".join(f"{fact.removesuffix('.')} [{mark}]." for mark, _, fact in marked),
        "citations": [{"mark": mark, "evidence": key, "quote": fact} for mark, key, fact in marked],
    }


def facts_of(task: TaskEnvelope) -> list[tuple[str, str]]:
    """What the passages say, with their keys."""
    return [(one.key, line) for one in task.evidence for line in one.text.splitlines() if line.endswith(".")]


def blocks_of(task: TaskEnvelope) -> list[JsonObject]:
    """The blocks of the report that an updater is shown."""
    parts = [one for one in ensure_list(task.given["parts"]) if isinstance(one, dict)]
    return [one for part in parts for one in ensure_list(part.get("blocks", [])) if isinstance(one, dict)]


def outdated_quotes(block: JsonObject) -> list[str]:
    return [str(one["quote"]) for one in ensure_list(block.get("outdated", [])) if isinstance(one, dict)]


class Careful(Provider):
    """Its writer says what passages say; its updater empties blocks that are outdated, and adds what is new."""

    def _output(self, task: TaskEnvelope) -> Mapping[str, object]:
        if task.kind == "writer":
            return prose(facts_of(task))
        if task.kind == "updater":
            blocks = blocks_of(task)
            gone = [{"id": one["id"], "text": ""} for one in blocks if outdated_quotes(one)]
            said = " ".join(str(one["text"]) for one in blocks)
            new = [
                {
                    "id": len(blocks),
                    "added": True,
                    "text": f"{fact.removesuffix('.')} [n].",
                    "citations": [{"mark": "n", "evidence": key, "quote": fact}],
                }
                for key, fact in dict.fromkeys(facts_of(task))
                if fact.removesuffix(".") not in said
            ]
            return {"blocks": [*gone, *new]}
        return super()._output(task)


@pytest.fixture(autouse=True)
def with_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "scripted")
    monkeypatch.setattr("elcano.subjects.documents.source.RESYNC_SECONDS", 0.0)


async def update(api: httpx.AsyncClient, provider: Provider, run_id: str) -> tuple[Json, Json]:
    """The view of a run that brings a report up to date, and its report."""
    provider.model.tasks.clear()
    answer = await api.post(f"/v1/runs/{run_id}/updates")
    assert answer.status_code == 201, answer.text
    view = await ended(api, answer.json()["run_id"])
    assert (view["status"], view["mode"], view["previous_run"]) == ("completed", "update", run_id)
    report = await api.get(f"/v1/runs/{view['run_id']}/report", headers={"Accept": "application/json"})
    found: Json = report.json()
    return view, found


async def changes(api: httpx.AsyncClient, a: str, b: str) -> list[tuple[str, str, str]]:
    """What differs between the words of two reports' claims: how, before and after."""
    pairs = (await api.get(f"/v1/runs/{a}/diff/{b}")).json()["report"]["claims"]
    texts = [(one["how"], *((one[side] or {}).get("text", "") for side in ("a", "b"))) for one in pairs]
    return [(how, before, after) for how, before, after in texts if before != after]


async def test_what_has_changed_is_written_anew_and_nothing_else(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    folder = fill_folder(api_settings, FACTS)
    provider = Careful()
    async with working(temporal, store, api_settings, provider):
        first = await start(api, QUESTION, mode="simple", model="openai:gpt-5.1")
        assert (await ended(api, first))["status"] == "completed"

        same, report = await update(api, provider, first)
        assert provider.model.tasks == []
        assert same["budget"]["used"]["tokens"] == 0
        assert "0 new passages, 0 quotes outdated" in report["warnings"][0], report["warnings"]
        assert await changes(api, first, same["run_id"]) == []

        write(folder, "ice", "The harbour froze in March.")
        write(folder, "ships", f"{FACTS['ships']}\n\nIts keeper is Pigafetta.")  # what was quoted stands there still
        write(folder, "light", "The harbour has a light since 1519.")
        new, report = await update(api, provider, same["run_id"])
        (task,) = (one for one in provider.model.tasks if one.kind == "updater")
        assert [quote for one in blocks_of(task) for quote in outdated_quotes(one)] == [FACTS["ice"]]
        read = [
            one
            for task in provider.model.tasks
            if task.kind == "reviewer"
            for one in ensure_list(task.given["statements"])
        ]
        assert {one["statement"] for one in read if isinstance(one, dict)} == {
            "The harbour froze in March.",
            "Its keeper is Pigafetta.",
            "The harbour has a light since 1519.",
        }
        assert sorted(await changes(api, same["run_id"], new["run_id"])) == [
            ("added", "", "Its keeper is Pigafetta."),
            ("added", "", "The harbour has a light since 1519."),
            ("changed", "The harbour froze in January.", "The harbour froze in March."),
        ]
        assert report["unverified"] == []
        assert compare_certificate((await api.get(f"/v1/runs/{new['run_id']}/certificate")).content).faults == ()

        (folder / "walls.md").unlink()
        gone, report = await update(api, provider, new["run_id"])
        assert provider.model.tasks == []
        assert "Not found again: 1 cited passage" in report["warnings"][1], report["warnings"]
        assert await changes(api, new["run_id"], gone["run_id"]) == []


class Careless(Careful):
    """Its updater leaves everything as it was."""

    def _output(self, task: TaskEnvelope) -> Mapping[str, object]:
        return {"blocks": []} if task.kind == "updater" else super()._output(task)


async def test_what_rests_on_an_outdated_quote_is_not_supported_if_the_model_leaves_it(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    folder = fill_folder(api_settings, FACTS)
    provider = Careless()
    async with working(temporal, store, api_settings, provider):
        first = await start(api, QUESTION, mode="simple", model="openai:gpt-5.1")
        await ended(api, first)
        write(folder, "ice", "The harbour froze in March.")
        _, report = await update(api, provider, first)
        assert [(one["verdict"], one["quote"]) for one in report["unverified"]] == [("quote_not_found", FACTS["ice"])]
        assert [task.kind for task in provider.model.tasks] == ["updater", "reviser"]


async def test_what_cannot_be_brought_up_to_date_is_refused(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    async with working(temporal, store, api_settings, Careful()):
        run_id = await start(api, "To whom do retries belong?", mode="simple", model="openai:gpt-5.1")
        assert (await api.post(f"/v1/runs/{run_id}/updates")).status_code == 409
        await ended(api, run_id)
        refused = await api.post(f"/v1/runs/{run_id}/updates", json={"model": "offline"})
        assert (refused.status_code, "updater" in refused.json()["detail"]) == (422, True), refused.text
        assert "a mode" not in refused.json()["detail"]
        assert (await api.post("/v1/runs/default-01hzzzzzzzzzzzzzzzzzzzzzzz/updates")).status_code == 404


async def test_a_cited_passage_that_the_searches_no_longer_find_is_looked_up_and_there_may_be_many(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings
) -> None:
    piers = {f"pier {n}": f"Pier {n} of the harbour is known to be 100 m long." for n in range(8)}
    folder = fill_folder(api_settings, piers)
    question = "What is known of the harbour, and of each pier? " * 12  # more than an expression of a graph may have
    provider = Careful()
    async with working(temporal, store, api_settings, provider):
        first = await start(api, question, mode="simple", model="openai:gpt-5.1")
        assert (await ended(api, first))["status"] == "completed"
        write(folder, "pier 3", "Pier 3 is 90 m long." + " It is closed to ships at low water." * 20)
        for number in range(10, 30):
            text = f"What is known of the harbour and of each pier is known of pier {number}."
            write(folder, f"what is known of the harbour and of each pier {number}", text)
        await update(api, provider, first)
        (task,) = (one for one in provider.model.tasks if one.kind == "updater")
        (gone,) = (quote for one in blocks_of(task) for quote in outdated_quotes(one))
        assert gone == "Pier 3 of the harbour is known to be 100 m long."


@pytest.mark.parametrize("turns", [4, long_case(10)])
async def test_each_change_of_a_folder_is_one_of_its_report(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, turns: int
) -> None:
    facts = {
        f"part {n}": f"Part {n} of the harbour has {100 + n} ships, and its keeper is person {n}." for n in range(12)
    }
    folder = fill_folder(api_settings, facts)
    provider = Careful()
    async with working(temporal, store, api_settings, provider):
        await ended(api, await start(api, QUESTION, mode="simple", model="openai:gpt-5.1"))  # makes the index
        run_id = await start(api, QUESTION, mode="iterative", model="openai:gpt-5.1")
        anew = (await ended(api, run_id))["budget"]["used"]["tokens"]
        used = 0
        for turn in range(turns):
            report = (await api.get(f"/v1/runs/{run_id}/report")).text
            name, before = f"part {turn}", facts[f"part {turn}"]
            cited = before.removesuffix(".") in report
            after = before.replace("ships", f"ships, {turn} of them of oak")
            if turn % 3 == 2:
                name, before, cited, after = (
                    f"gate {turn}",
                    "",
                    False,
                    f"Gate {turn} of the harbour is of {1500 + turn}.",
                )
            write(folder, name, after)
            new, written = await update(api, provider, run_id)
            used += new["budget"]["used"]["tokens"]
            shown = after.removesuffix(".") in written["markdown"]
            expected = [("changed" if cited else "added", before if cited else "", after)] if shown else []
            assert await changes(api, run_id, new["run_id"]) == expected, (turn, cited)
            assert shown or not cited
            run_id = new["run_id"]
    assert used <= MOST_SHARE * turns * anew, (used, anew)
