"""The store, the histories or the objects are those of an older copy: `reconcile` has runs go on, or says why not."""

import asyncio
import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from elcano.dev.stack import open_stack
from elcano.operations.reconcile.installation import open_installation
from elcano.operations.reconcile.reconciliation import compare_everything
from elcano.settings import Settings
from elcano.storage.objects import artifacts_of, payloads_of
from elcano.storage.store import open_configured
from tests.chaos.conftest import ask, completed, ledger, report, told
from tests.chaos.copies import copy_part, restore_part
from tests.chaos.researcher import Place, Researcher
from tests.stores import make_bucket
from tests.unit.dev.test_dev import until


@pytest.fixture(autouse=True)
def released(researcher: Researcher) -> Iterator[None]:
    """Nothing is held back for ever where a test fails."""
    yield
    researcher.release()


async def differences(chosen: Settings, *, mend: bool) -> list[tuple[str, str, str]]:
    """What differs, as kind, run and outcome."""
    async with open_installation(chosen) as opened:
        installation = replace(opened, grace=0.0, object_grace=0.0)
        return [
            (one.difference.kind, one.difference.run_id, one.error or one.outcome)
            async for one in compare_everything(installation, mend=mend)
        ]


def run_id(path: str) -> str:
    return path.rpartition("/")[2]


@pytest.fixture(autouse=True)
def no_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that Temporal does not know counts as lost at once."""
    monkeypatch.setattr("elcano.service.runs.endings.START_GRACE", 0.0)


async def status_of(chosen: Settings, run: str) -> str:
    async with httpx.AsyncClient(base_url=chosen.base_url, timeout=30) as client:
        return str((await client.get(run)).json().get("status"))


SERVERS = os.environ.get("ELCANO_TEST_STORES") == "servers"
"""Whether the store is a database of PostgreSQL and the objects are in S3; else both are files."""


@pytest.fixture(scope="module")
def places(request: pytest.FixtureRequest, changed: pytest.MonkeyPatch) -> dict[str, str]:
    """Where the store and the objects are, if they are on servers."""
    if not SERVERS:
        return {}
    bucket = make_bucket(request.getfixturevalue("s3_server"), changed)
    return {"store_url": request.getfixturevalue("age"), "objects_url": bucket}


@pytest.fixture
def brief(chosen: Settings, places: dict[str, str]) -> Settings:
    """Settings of a stack whose worker waits for no call that is held back."""
    return chosen.model_copy(update={"shutdown_seconds": 1.0, **places})


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_an_older_store_under_newer_histories(brief: Settings, researcher: Researcher, tmp_path: Path) -> None:
    early, late = Place("Which harbour froze?", "judge", 1), Place("Which harbour froze?", "judge", 2)
    unknown = Place("Which island had water?", "judge", 2)
    async with asyncio.timeout(280):
        researcher.hold([early])
        async with open_stack(brief):
            run = await ask(brief, early.question)
            await until(lambda: researcher.holds)
            copy_part(brief, "elcano.db", tmp_path)
            researcher.release()
            researcher.hold([late, unknown])
            other = await ask(brief, unknown.question)
            ended = await ask(brief, "Which voyage took three years?")
            assert (await told(brief, ended))[-1].event == "complete"
            text = await report(brief, ended)
            await until(lambda: researcher.holds)
        restore_part(brief, "elcano.db", tmp_path)
        async with open_stack(brief):
            found = await differences(brief, mend=False)
            assert {kind for kind, name, _ in found if name == run_id(other)} == {"run_unknown"}
            assert {kind for kind, name, _ in found if name == run_id(ended)} == {"run_unknown"}
            assert {outcome for _, _, outcome in await differences(brief, mend=True)} == {"mended"}
            researcher.release()
            assert await report(brief, ended) == text
            for one in (run, other):
                assert (await told(brief, one))[-1].event == "complete"
                assert "## References" in await report(brief, one)
                assert await completed(brief, one)
            assert await differences(brief, mend=True) == []


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_older_histories_under_a_newer_store(brief: Settings, researcher: Researcher, tmp_path: Path) -> None:
    ends, stays = Place("Which winter was it?", "judge", 1), Place("Which sailors were sick?", "judge", 1)
    later, lost = Place("Which sailors were sick?", "judge", 2), Place("Which strait was it?", "judge", 2)
    async with asyncio.timeout(280):
        researcher.hold([ends, stays])
        async with open_stack(brief):
            ended, other = [await ask(brief, place.question) for place in (ends, stays)]
            await until(lambda: researcher.holds)
            copy_part(brief, "temporal.db", tmp_path)
            researcher.release()
            researcher.hold([later, lost])
            forgotten = await ask(brief, lost.question)
            events = await told(brief, ended)
            text = await report(brief, ended)
            await until(lambda: researcher.holds)
        restore_part(brief, "temporal.db", tmp_path)
        researcher.release()
        researcher.hold([ends, stays])
        async with open_stack(brief):
            paid = await count_tokens(brief)
            found = await differences(brief, mend=True)
            assert {(kind, name) for kind, name, _ in found} >= {
                ("history_older", run_id(ended)),
                ("run_forgotten", run_id(forgotten)),
                ("ledger_ahead", run_id(other)),
            }
            assert {outcome for _, _, outcome in found} == {"mended"}
            assert await differences(brief, mend=True) == []
            assert await count_tokens(brief) >= paid
            researcher.release()
            assert await report(brief, ended) == text
            assert await told(brief, ended) == events
            assert await status_of(brief, forgotten) == "terminated"
            assert (await told(brief, other))[-1].event == "complete"
            lines = await ledger(brief, other)
            assert [line for line in lines if line.undone and line.usage.tokens]
            twice = [place for place, count in (await completed(brief, other, undone=False)).items() if count > 1]
            assert [node for _, node, _, _ in twice] == ["judge"]  # it was in flight at the time of the copy
            assert await differences(brief, mend=True) == []


async def count_tokens(chosen: Settings) -> int:
    """What all runs paid, with what was undone."""
    today = datetime.now(UTC).date()
    async with open_configured(chosen) as store:
        (row,) = await store.usage.summarize([], today - timedelta(days=1), today)
    return row.used.tokens


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_objects_that_are_gone_or_that_nobody_knows(chosen: Settings, researcher: Researcher) -> None:
    brief = chosen.model_copy(update={"shutdown_seconds": 1.0})  # it looks into the files
    place = Place("Which bay was it?", "judge", 2)
    objects = brief.data_dir / "objects"
    async with asyncio.timeout(280):
        researcher.hold([place])
        async with open_stack(brief) as running:
            run = await ask(brief, place.question, background="What is known of the bay. " * 1_500)
            await until(lambda: researcher.holds)
            assert await differences(brief, mend=False) == []
            payloads = sorted((objects / payloads_of(run_id(run))).iterdir(), key=lambda one: one.stat().st_mtime)
            assert len(payloads) > 2
            payloads[-1].unlink()
            unknown = objects / payloads_of("default-01hzzzzzzzzzzzzzzzzzzzzzzz") / "0123"
            unknown.parent.mkdir()
            unknown.write_bytes(b"of nobody")
            found = await differences(brief, mend=True)
            assert {(kind, outcome) for kind, _, outcome in found} == {
                ("payloads_missing", "mended"),
                ("objects_unowned", "mended"),
            }
            assert not unknown.exists()
            await running.stop_worker()
            await running.worker.start()
            researcher.release()
            assert (await told(brief, run))[-1].event == "complete"
            assert await differences(brief, mend=True) == []
            (log,) = [one for one in (objects / artifacts_of("default", run_id(run))).iterdir()][:1]
            kept = log.read_bytes()
            log.unlink()
            assert await differences(brief, mend=True) == [("artifacts_missing", run_id(run), "left")]
            log.write_bytes(kept)
            assert await differences(brief, mend=True) == []
