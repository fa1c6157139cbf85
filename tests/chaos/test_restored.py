"""The store, the histories or the objects are those of an older copy: `reconcile` has runs go on, or says why not."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from elcano.dev import open_stack
from elcano.plugins.reconcile.installation import open_installation
from elcano.plugins.reconcile.reconciliation import reconcile
from elcano.settings import Settings
from tests.chaos.conftest import ask, completed, report, told
from tests.chaos.copies import copy_part, restore_part
from tests.chaos.researcher import Place, Researcher
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
            async for one in reconcile(installation, mend=mend)
        ]


def run_id(path: str) -> str:
    return path.rpartition("/")[2]


async def status_of(chosen: Settings, run: str) -> str:
    async with httpx.AsyncClient(base_url=chosen.base_url, timeout=30) as client:
        return str((await client.get(run)).json().get("status"))


@pytest.fixture
def brief(chosen: Settings) -> Settings:
    """Settings of a stack whose worker waits for no call that is held back."""
    return chosen.model_copy(update={"shutdown_seconds": 1.0})


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
