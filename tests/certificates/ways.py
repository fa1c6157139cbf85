"""Random ways of a run: steered, paused, resumed, stopped, rolled back and forked, each ending in a certificate.

    python -m tests.certificates.ways 300 --seed 7

walks so many ways and verifies the certificate of every run that ends with a report; `test_honest.py` walks some of
them in each test run. A way is drawn from its own seed, so one that fails can be walked again alone. When requests meet
the run depends on the machine: what was walked is told, and a refusal (409, 422) is part of the way.
"""

import argparse
import asyncio
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
from temporalio.client import Client

from elcano.doors.certificates.verify_command import compare_certificate
from elcano.graphs.contracts import REPORTED
from elcano.settings.settings import Settings
from elcano.storage.store import open_store
from elcano.testing import temporal_environment
from tests.api.again.going_on import Provider, ended, serving_alone

QUESTION: Final = "To whom do retries belong, and who counts them?"
SHELVES: Final = ("handbook", "manual", "notes")
MODES: Final = ("iterative", "deep", "simple", "hierarchical", "literature_review")
REQUESTS: Final = 6
"""A way makes at most so many requests of each of its runs."""
MOST_RUNS: Final = 3
"""A way has at most so many runs: forks of forks are what a fork is."""
LONGEST_WAY: Final = 120.0
"""Seconds that a way may take; one that waits for nobody would never end."""
LONGEST_PAUSE: Final = 0.3
"""Seconds between two requests, at most."""


@dataclass
class Walked:
    """What was done on one way, and what does not hold of its certificates."""

    seed: int
    told: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    certificates: int = 0

    def __str__(self) -> str:
        return f"way {self.seed}: {'; '.join(self.told)}\n" + "\n".join(f"  {fault}" for fault in self.faults)


class Way:
    """One way, drawn from its seed."""

    def __init__(self, api: httpx.AsyncClient, seed: int) -> None:
        self._api = api
        self._draw = random.Random(seed)
        self.walked = Walked(seed)

    async def walk(self) -> Walked:
        """Starts a run, asks things of it until it has ended, then goes on from its end, and verifies it each time."""
        mode = self._draw.choice(MODES)
        chain = self._draw.random() < 0.3
        sources = self._draw.sample(SHELVES, self._draw.randint(1, 2))
        asked: dict[str, Any] = {"question": QUESTION, "mode": mode, "use_graph": not chain, "sources": sources}
        if self._draw.random() < 0.3:
            exhausted = self._draw.choice(("pause", "finish"))
            asked["budget"] = {"steps": self._draw.randint(8, 14), "when_exhausted": exhausted}
        answer = await self._api.post("/v1/runs", json=asked)
        assert answer.status_code == 201, answer.text
        runs = [str(answer.json()["run_id"])]
        self.walked.told.append(f"start {mode}{' as a chain' if chain else ''} in {', '.join(sources)}")
        for run_id in runs:
            await self._ask_while_it_runs(run_id)
            await self._verify(run_id)
            if self._draw.random() < 0.7 and await self._go_on(run_id):
                await self._ask_while_it_runs(run_id)
                await self._verify(run_id)
            if len(runs) < MOST_RUNS and self._draw.random() < 0.5 and (fork := await self._fork(run_id)):
                runs.append(fork)
        return self.walked

    async def _ask_while_it_runs(self, run_id: str) -> None:
        for _ in range(self._draw.randint(0, REQUESTS)):
            await asyncio.sleep(self._draw.random() * LONGEST_PAUSE)
            if (await self._view(run_id))["status"] != "running":
                return
            await self._post(run_id, *self._request())
        while (view := await self._view(run_id))["status"] == "running":
            if view["stage"] in ("paused", "held"):  # so that every way comes to an end
                await self._post(run_id, "unpause", {})
                await self._post(run_id, "top-up", {"steps": 40, "tokens": 200_000})
            await asyncio.sleep(0.25)

    def _request(self) -> tuple[str, dict[str, Any]]:
        shelf = self._draw.choice(SHELVES)
        section = {"title": f"Section {self._draw.randint(1, 5)}", "question": "What of retries?"}
        return self._draw.choice(
            (
                ("steer", {"instruction": f"Look at {shelf}."}),
                ("steer", {"add_sources": [shelf]}),
                ("steer", {"drop_sources": [shelf]}),
                ("steer", {"add_sections": [section]}),
                ("steer", {"drop_sections": [section["title"]]}),
                ("pause", {}),
                ("unpause", {}),
                ("top-up", {"tokens": 50_000}),
                ("stop", {"reason": "we know enough"}),
            )
        )

    async def _go_on(self, run_id: str) -> bool:
        """Whether the run that has ended goes on, or is taken back to an earlier step."""
        steps = (await self._view(run_id))["steps"]
        what, body = self._draw.choice(
            (
                ("resume", {}),
                ("resume", {"budget": {"tokens": 300_000, "steps": 40}}),
                ("rollback", {"step": self._draw.randint(1, max(1, steps))}),
            )
        )
        return await self._post(run_id, what, body)

    async def _fork(self, run_id: str) -> str | None:
        steps = (await self._view(run_id))["steps"]
        body: dict[str, Any] = {"step": self._draw.randint(1, max(1, steps))}
        if self._draw.random() < 0.3:
            body["question"] = "What is a retry?"
        answer = await self._api.post(f"/v1/runs/{run_id}/fork", json=body)
        self._tell(f"fork {body}", answer)
        return str(answer.json()["run_id"]) if answer.is_success else None

    async def _post(self, run_id: str, what: str, body: dict[str, Any]) -> bool:
        answer = await self._api.post(f"/v1/runs/{run_id}/{what}", json=body)
        self._tell(f"{what} {body or ''}".strip(), answer)
        return answer.is_success

    def _tell(self, what: str, answer: httpx.Response) -> None:
        told = "" if answer.is_success else f" ({answer.status_code})"
        if answer.status_code >= 500 or answer.status_code in (400, 404):
            self.walked.faults.append(f"{what}: {answer.status_code} {answer.text[:300]}")
        if self.walked.told[-1:] != [f"{what}{told}"]:
            self.walked.told.append(f"{what}{told}")

    async def _view(self, run_id: str) -> dict[str, Any]:
        answer = await self._api.get(f"/v1/runs/{run_id}")
        assert answer.status_code == 200, answer.text
        view: dict[str, Any] = answer.json()
        return view

    async def _verify(self, run_id: str) -> None:
        view = await ended(self._api, run_id)
        self.walked.told.append(view["status"])
        if view["status"] not in REPORTED:
            self.walked.faults.append(f"{run_id} ended {view['status']}: {view['failure']}")
            return
        answer = await self._api.get(f"/v1/runs/{run_id}/certificate")
        self.walked.certificates += 1
        if answer.status_code != 200:
            self.walked.faults.append(f"certificate of {run_id}: {answer.status_code} {answer.text[:300]}")
            return
        self.walked.faults += [f"{one.part}: {one.text}" for one in compare_certificate(answer.content).faults]


def shelves(folder: Path) -> Settings:
    """Settings of a server with three small collections, for a run to add and to drop."""
    texts = {
        "handbook": "# Retries\n\nRetries belong to Temporal alone, and their delay doubles.\n",
        "manual": "# Counting\n\nThe server counts every retry, and shows the count beside the call.\n",
        "notes": "# Delays\n\nA delay between two retries is never longer than a day.\n",
    }
    for name in SHELVES:
        (folder / name).mkdir()
        (folder / name / f"{name}.md").write_text(texts[name], encoding="utf-8")
    return Settings(
        _env_file=None,
        data_dir=folder / "data",
        collections={name: folder / name for name in SHELVES},
        package_readmes=False,
        shared_environment=True,
    )


async def walk_ways(temporal: Client, folder: Path, seeds: Iterable[int], at_once: int = 3) -> list[Walked]:
    """Walks one way for each seed, some side by side, on a server that keeps its data below `folder`."""
    settings = shelves(folder)
    room = asyncio.Semaphore(at_once)
    async with open_store(settings.data_dir) as store, serving_alone(temporal, store, settings, Provider()) as api:

        async def walk(seed: int) -> Walked:
            async with room:
                way = Way(api, seed)
                try:
                    return await asyncio.wait_for(way.walk(), LONGEST_WAY)
                except TimeoutError:
                    way.walked.faults.append(f"it does not come to its end in {LONGEST_WAY:g} s")
                    return way.walked

        return await asyncio.gather(*(walk(seed) for seed in seeds))


async def _main(ways: int, seed: int, at_once: int) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with temporal_environment(folder / "payloads") as environment:
            walked = await walk_ways(environment.client, folder, range(seed, seed + ways), at_once)
    wrong = [one for one in walked if one.faults]
    done = Counter(told.partition(" ")[0] for one in walked for told in one.told)
    figures = (
        *map(str, wrong),
        f"{len(walked)} ways: {', '.join(f'{what} {count}' for what, count in sorted(done.items()))}",
        f"{sum(one.certificates for one in walked)} certificates, {sum(len(one.faults) for one in walked)} faults",
    )
    sys.stdout.write("\n".join(figures) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ways", type=int, help="how many")
    parser.add_argument("--seed", type=int, default=1, help="of the first; the others follow")
    parser.add_argument("--at-once", type=int, default=3, help="ways walked side by side")
    given = parser.parse_args()
    sys.exit(asyncio.run(_main(given.ways, given.seed, given.at_once)))
