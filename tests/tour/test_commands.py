"""Every command of the tour in `docs/temporal.md` works on the runs that its pictures show."""

import asyncio
import re
import shlex
from asyncio.subprocess import PIPE, STDOUT
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple

import pytest
from temporalio.client import Client

from elcano.dev.temporal import temporal_binary
from elcano.graphs.run_contracts import SEARCH_ATTRIBUTES
from tests.forked_programs import forked_programs
from tests.tour.runs import DEEP, DONE, DOWN, REFUSED, SPENT, WORKING, Tour, touring

PAGE = Path(__file__).parents[2] / "docs" / "temporal.md"
SHOWN = {
    "List runs and their status": DONE,
    "Find runs that wait for a top-up": SPENT,
    "See what a run waits for, and since when": SPENT,
    "Find the provider that is down": DOWN,
    "See what a run is doing": WORKING,
    "See the status of sections": DEEP,
    "After a worker was killed": WORKING,
    "Find out why a run failed": REFUSED,
}
"""The parts of the tour, and the run that each is about."""
SAYS = {
    "workflow list --query 'ElcanoWaiting = \"budget\" AND ElcanoSection IS NULL'": [SPENT],
    "workflow list --query 'ElcanoWaiting = \"provider\"'": [DOWN],
    "workflow list --query 'ElcanoOutcome = \"failed\"'": [REFUSED],
    "workflow list --query 'ElcanoSection IS NULL'": [DONE, SPENT, DOWN, WORKING, DEEP, REFUSED],
    "workflow list --query 'ElcanoQuestion STARTS_WITH \"What did the voyage\"'": [SPENT],
}
"""The runs that a list must have, and no others of the tour."""


class Command(NamedTuple):
    part: str
    line: str


def tour_of(page: str) -> str:
    return page.split("## A tour of the Temporal UI\n")[1].split("\n## ")[0]


def commands() -> list[Command]:
    found = []
    for part in tour_of(PAGE.read_text(encoding="utf-8")).split("\n### ")[1:]:
        title = part.partition("\n")[0]
        for block in re.findall(r"^```sh\n(.*?)^```", part, re.DOTALL | re.MULTILINE):
            lines = block.replace("\\\n", " ").splitlines()
            found += [Command(title, line.removeprefix("temporal ")) for line in lines]
    return found


@pytest.fixture(scope="module")
async def tour(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tour]:
    with forked_programs():
        async with touring(tmp_path_factory.mktemp("tour")) as made:
            yield made


async def said(tour: Tour, words: list[str]) -> str:
    """What the command says; it must work."""
    binary = temporal_binary()
    assert binary is not None
    address = ["--address", f"127.0.0.1:{tour.stack.settings.temporal_port}"]
    process = await asyncio.create_subprocess_exec(binary, *words, *address, stdout=PIPE, stderr=STDOUT)
    output, _ = await process.communicate()
    assert process.returncode == 0, f"{words}: {output.decode()}"
    return output.decode()


async def before_the_failure(tour: Tour) -> str:
    """The event that a failed run is reset to: the workflow task before the call that failed."""
    client = await Client.connect(f"127.0.0.1:{tour.stack.settings.temporal_port}")
    events = (await client.get_workflow_handle(tour.runs[REFUSED]).fetch_history()).events
    failed = next(event for event in events if event.HasField("activity_task_failed_event_attributes"))
    scheduled = events[failed.activity_task_failed_event_attributes.scheduled_event_id - 1]
    return str(scheduled.activity_task_scheduled_event_attributes.workflow_task_completed_event_id)


def test_the_tour_shows_every_picture_and_names_every_attribute() -> None:
    page = tour_of(PAGE.read_text(encoding="utf-8"))
    pictures = {path.name for path in (PAGE.parent / "pictures").iterdir()}
    assert {*re.findall(r"\]\(pictures/([^)]+)\)", page), "report.png"} == pictures  # that one is of the README
    assert {title for title, _ in commands()} == set(SHOWN)
    (create,) = [line for _, line in commands() if line.startswith("operator search-attribute create")]
    words = shlex.split(create)
    assert dict(zip(words[4::4], words[6::4], strict=True)) == SEARCH_ATTRIBUTES


async def test_every_command_works_and_what_it_mends_is_mended(tour: Tour) -> None:
    event = await before_the_failure(tour)
    heard: dict[str, str] = {}
    for part, line in commands():
        given = line.replace("EVENT", event).replace("RUN", tour.runs[SHOWN[part]])
        if line.startswith("operator search-attribute create"):
            continue  # the worker of the tour has registered them
        if line.startswith("workflow reset"):
            tour.desk.mended.set()
        heard[given] = await said(tour, shlex.split(given))
    for line, questions in SAYS.items():
        expected = {tour.runs[question] for question in questions}
        assert {run_id for run_id in tour.runs.values() if f"{run_id} " in heard[line]} == expected, heard[line]
    assert "waits for a top-up" in heard[f"workflow metadata --workflow-id {tour.runs[SPENT]}"]
    async with asyncio.timeout(240):
        for question in (WORKING, REFUSED):
            while (await tour.run(question))["status"] != "completed":  # noqa: ASYNC110 - it is asked
                await asyncio.sleep(0.2)
