"""Kills the receiver of webhooks, the worker that sends them and the API, at random, and counts what arrives.

`python -m tests.chaos.webhook_storm --kills 50 --runs 12 --seed 1`. Every event has to be delivered, and none may have
two effects at a receiver that remembers ids. The same seed kills the same processes after the same pauses.
"""

import asyncio
import json
import random
import sys
import tempfile
from argparse import ArgumentParser
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

import httpx
import uvicorn
from fastapi import FastAPI, Request
from standardwebhooks import Webhook

from elcano.dev.child import start_guard
from elcano.dev.claims import claim_folder, free_ports
from elcano.dev.stack import child_environment
from elcano.dev.temporal import server_command
from elcano.settings.settings import Settings
from tests.chaos.programs import ROOT
from tests.chaos.storm.processes import Program

EVENTS: Final = ("run.started", "run.completed")
PATIENCE: Final = 600.0
"""Seconds after the last kill until everything must have arrived: the retries of one message are minutes apart."""
QUESTION: Final = "To whom do retries belong?"


def serve_receiver(port: int, folder: Path) -> None:
    """Take messages: note each attempt, and have an effect once for each id, as a receiver should."""
    app = FastAPI()

    @app.post("/hook")
    async def take(request: Request) -> None:
        body = await request.body()
        Webhook((folder / "secret").read_text()).verify(body, dict(request.headers))
        name = request.headers["webhook-id"]
        with (folder / "attempts").open("a") as attempts:
            attempts.write(f"{name}\n")
        with suppress(FileExistsError):
            (folder / "effects" / name).touch(exist_ok=False)
            with (folder / "effects.log").open("a") as effects:
                effects.write(json.dumps({"id": name, "type": json.loads(body)["type"]}) + "\n")

    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


@asynccontextmanager
async def open_programs(folder: Path) -> AsyncIterator[tuple[dict[str, Program], Settings, str]]:
    """The processes, not yet started, their settings, and the receiver's address."""
    api, temporal, ui, receiver = free_ports(4)
    (folder / "handbook").mkdir(parents=True)
    (folder / "handbook" / "retries.md").write_text("# Retries\n\nRetries belong to Temporal alone.\n")
    (folder / "received" / "effects").mkdir(parents=True)
    chosen = {
        "data_dir": folder / "data",
        "api_port": api,
        "temporal_port": temporal,
        "temporal_ui_port": ui,
        "collections": {"handbook": folder / "handbook"},
        "package_readmes": False,
        "model": "offline",
    }
    settings = Settings.model_validate(chosen)
    environment = child_environment(settings) | {
        "ELCANO_WEBHOOKS": "true",
        "ELCANO_WEBHOOK_PRIVATE_HOSTS": json.dumps([f"127.0.0.1:{receiver}"]),
    }
    python = (sys.executable, "-m")
    taking = (*python, "tests.chaos.webhook_storm", "--receive", str(receiver), str(folder / "received"))
    with ExitStack() as opened:
        lock = opened.enter_context(claim_folder(settings.data_dir, {}, patience=5.0))
        guarded = opened.enter_context(start_guard(grace=5.0, lock=lock))

        def program(name: str, command: Sequence[str]) -> Program:
            log = folder / "logs" / f"{name}.log"
            return Program(name, command, environment, folder=ROOT, log=log, guard=guarded, ended=_note_death)

        programs = {
            "temporal": program("temporal", server_command(settings)),
            "api": program("api", (*python, "elcano.api")),
            "worker": program("worker", (*python, "elcano.worker")),
            "receiver": program("receiver", taking),
        }
        try:
            yield programs, settings, f"http://127.0.0.1:{receiver}/hook"
        finally:
            for one in programs.values():
                await one.kill()


async def run_storm(folder: Path, kills: int, runs: int, seed: int) -> dict[str, Any]:
    """Start runs while processes die, and return what came of it."""
    chance = random.Random(seed)
    async with open_programs(folder) as (programs, settings, url):
        for one in programs.values():
            await one.start()
        async with httpx.AsyncClient(base_url=settings.base_url, timeout=30) as api:
            made = await _insist(api, "/v1/webhooks", {"url": url, "events": list(EVENTS)}, "webhook")
            (folder / "received" / "secret").write_text(made["secret"])
            asking = asyncio.create_task(_ask(api, runs, chance.random()))
            killed = Counter[str]()
            for _ in range(kills):
                name = chance.choice(("receiver", "worker", "receiver", "worker", "api"))
                await asyncio.sleep(chance.uniform(0.2, 4.0))
                await programs[name].kill()
                killed[name] += 1
                await asyncio.sleep(chance.uniform(0.0, 1.0))
                await programs[name].start()
            asked = await asking
            wanted = {(run_id, kind) for run_id in asked for kind in EVENTS}
            async with asyncio.timeout(PATIENCE):
                while {(one["id"].split("_")[1], one["type"]) for one in _read_effects(folder)} != wanted:  # noqa: ASYNC110
                    await asyncio.sleep(1)
    effects = _read_effects(folder)
    attempts = (folder / "received" / "attempts").read_text().split()
    return {
        "seed": seed,
        "kills": dict(killed),
        "events": len(wanted),
        "delivered": len({one["id"] for one in effects}),
        "with two effects": sum(count > 1 for count in Counter(one["id"] for one in effects).values()),
        "attempts that arrived": len(attempts),
    }


def _note_death(text: str, at: float) -> None:
    sys.stderr.write(f"{text}\n")


def _read_effects(folder: Path) -> list[dict[str, str]]:
    log = folder / "received" / "effects.log"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


async def _ask(api: httpx.AsyncClient, runs: int, pause: float) -> list[str]:
    found = []
    for number in range(runs):
        body = {"question": f"{QUESTION} ({number})", "mode": "simple"}
        found.append((await _insist(api, "/v1/runs", body, f"run-{number}"))["run_id"])
        await asyncio.sleep(4 * pause)
    return found


async def _insist(api: httpx.AsyncClient, path: str, body: dict[str, Any], key: str) -> dict[str, Any]:
    """Ask until there is an answer; with a key a run is started once."""
    while True:
        with suppress(httpx.TransportError):
            answer = await api.post(path, json=body, headers={"Idempotency-Key": key})
            if answer.is_success:
                made: dict[str, Any] = answer.json()
                return made
        await asyncio.sleep(0.3)


def main() -> None:
    """Read the arguments, and print the figures."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--receive", nargs=2, metavar=("PORT", "FOLDER"), help="serve as the receiver")
    given = parser.parse_args()
    if given.receive:
        serve_receiver(int(given.receive[0]), Path(given.receive[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        figures = asyncio.run(run_storm(Path(folder), given.kills, given.runs, given.seed))
    sys.stdout.write(json.dumps(figures, indent=2) + "\n")
    if figures["delivered"] != figures["events"] or figures["with two effects"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
