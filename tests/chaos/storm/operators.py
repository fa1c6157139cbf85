"""What somebody does to a run with Temporal's own command line, none of which may change its outcome."""

import asyncio
import json
from asyncio.subprocess import PIPE, STDOUT
from typing import Any, Final

from elcano.dev.temporal import temporal_binary
from elcano.graphs.contracts import CONTROL_SIGNAL
from tests.chaos.storm.schedule import Command

PATIENCE: Final = 120.0
"""Seconds in which what was paused has to be unpaused: the server may be dead just then."""
OVER: Final = ("already completed", "not found", "not paused", "Can't find pending activity")
"""What the server says of something that is no longer there to be unpaused."""


class Operator:
    """Temporal's command line, for one server."""

    def __init__(self, address: str) -> None:
        self._address = address

    async def do(self, command: Command, run_id: str) -> None:
        """Do it to a run and to the sections that are open; nothing where there is nothing to do it to."""
        described = await self._describe(run_id)
        sections = [str(child["workflowId"]) for child in described.get("pendingChildren", ())]
        workflows = [run_id, *sections]
        match command.kind:
            case "signal":
                for one in workflows:
                    await self._run("workflow", "signal", "--workflow-id", one, "--name", CONTROL_SIGNAL)
            case "reset-calls":
                for call in await self._list_calls(workflows):
                    await self._run("activity", "reset", *call)
            case "pause-calls":
                calls = await self._list_calls(workflows)
                for call in calls:
                    await self._run("activity", "pause", *call)
                await asyncio.sleep(command.seconds)
                for call in calls:
                    await self._insist("activity", "unpause", *call)
            case "pause-run":
                for one in workflows:
                    await self._run("workflow", "pause", "--workflow-id", one)
                await asyncio.sleep(command.seconds)
                for one in workflows:
                    await self._insist("workflow", "unpause", "--workflow-id", one)

    async def _list_calls(self, workflows: list[str]) -> list[tuple[str, ...]]:
        """The options that name each call under way."""
        found: list[tuple[str, ...]] = []
        for one in workflows:
            pending = (await self._describe(one)).get("pendingActivities", ())
            found += [("--workflow-id", one, "--activity-id", str(call["activityId"])) for call in pending]
        return found

    async def _describe(self, workflow: str) -> dict[str, Any]:
        code, said = await self._run("workflow", "describe", "--workflow-id", workflow, "-o", "json")
        described: dict[str, Any] = json.loads(said) if code == 0 else {}
        return described

    async def _insist(self, *command: str) -> None:
        async with asyncio.timeout(PATIENCE):
            while True:
                code, said = await self._run(*command)
                if code == 0 or any(words in said for words in OVER):
                    return
                await asyncio.sleep(1.0)

    async def _run(self, *command: str) -> tuple[int, str]:
        """The exit code of a command, and what it printed."""
        binary = temporal_binary()
        assert binary is not None
        process = await asyncio.create_subprocess_exec(
            binary, *command, "--address", self._address, "--color", "never", stdout=PIPE, stderr=STDOUT
        )
        said, _ = await process.communicate()
        return await process.wait(), said.decode()
