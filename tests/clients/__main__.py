"""Tries the programs of `docs/clients/chat` against a server here: `python -m tests.clients [NAME...]`.

Each is a client of others. Its first line pins its versions, which are installed into an environment of its own below
`--environments`. The server researches one handbook with a scripted model; questions with "slowly" take some seconds. A
proxy cuts the first connection of each program. Afterwards it is counted how many runs each question started.
"""

import argparse
import asyncio
import re
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

import httpx
import pytest

from elcano.api.app import create_app
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.storage.store import open_store
from elcano.testing import Reply, temporal_environment
from elcano.testing.model import Answer
from tests.api.again.going_on import Provider, working
from tests.api.handbook import handbook_settings
from tests.api.serving import connecting, serving

PROGRAMS: Final = Path(__file__).parents[2] / "docs" / "clients" / "chat"
SLOW_SECONDS: Final = 6.0
CUT_SECONDS: Final = 3.0
"""After how long the proxy cuts the first connection that it has passed a request on."""
LONGEST: Final = 600.0
STEPS: Final = ("ask", "stream", "second_turn", "cancel", "error", "slow", "cut")


class SlowProvider(Provider):
    """Thinks for a while about questions that say so."""

    def _answer(self, task: TaskEnvelope) -> Answer:
        seconds = SLOW_SECONDS if task.kind == "thinking" and "slowly" in task.question else 0.0
        return Reply(self._output(task), seconds=seconds)


@asynccontextmanager
async def cutting(port: int) -> AsyncIterator[str]:
    """A proxy of a server on this machine that cuts its first connection."""
    cut = False

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal cut
        behind_reader, behind_writer = await asyncio.open_connection("127.0.0.1", port)
        passing = {asyncio.create_task(copy(*ends)) for ends in ((reader, behind_writer), (behind_reader, writer))}
        if not cut:
            cut = True
            await asyncio.wait(passing, timeout=CUT_SECONDS)
            for task in passing:
                task.cancel()
        await asyncio.wait(passing)
        for one in (writer, behind_writer):
            one.transport.abort()

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while piece := await reader.read(65_536):
                writer.write(piece)
                await writer.drain()
            writer.write_eof()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


async def prepare(program: Path, text: str, environments: Path) -> list[str]:
    """The command of a program; what it requires is installed first, if it is not there."""
    (required,) = re.findall(r"^(?:#|//) requires: (.*)", text)
    place = environments / program.stem
    if program.suffix == ".mjs":
        await install(place, ["npm", "install", "--prefix", str(place), "--no-audit", "--no-fund", *required.split()])
        for one in (program, PROGRAMS / "steps.mjs"):  # Node looks for packages from where a program is
            await asyncio.to_thread(shutil.copy, one, place)
        return ["node", str(place / program.name)]
    uv = str(Path(sys.executable).with_name("uv"))
    fill = [uv, "pip", "install", "-q", "--python", str(place), *required.split()]
    await install(place, [uv, "venv", "-q", "--python", sys.executable, str(place)], fill)
    return [str(place / "bin" / "python"), str(program)]


async def install(place: Path, *commands: list[str]) -> None:
    """Make an environment that is not there; one that was interrupted is removed."""
    if await asyncio.to_thread(place.exists):
        return
    try:
        for command in commands:
            process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.DEVNULL)
            if await process.wait():
                raise RuntimeError(f"failed: {' '.join(command)}")
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise


async def execute(*command: str) -> str:
    """What a command prints; it is ended if it takes too long."""
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        async with asyncio.timeout(LONGEST):
            said, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        return ""
    return said.decode(errors="replace")


async def try_program(program: Path, served: str, environments: Path) -> str:
    """A row of the table, and below it what went wrong."""
    command = await prepare(program, await asyncio.to_thread(program.read_text, "utf-8"), environments)
    async with cutting(int(served.rpartition(":")[2])) as cut, httpx.AsyncClient(base_url=served, timeout=60) as api:
        said = await execute(*command, f"{served}/openai/v1", f"{cut}/openai/v1", program.stem)
        lines = (line.split("\t", 2) for line in said.splitlines() if line.count("\t") >= 2)
        found = {name: (state, detail) for name, state, detail in lines}
        listed = (await api.get("/v1/runs", params={"question": f"({program.stem})", "limit": 50})).json()["runs"]
    slow, cut_off = (
        sum(words in run["question"] for run in listed) for words in ("slowly belong? ", "connection is cut")
    )
    followed = [bool(run["previous_run"]) for run in listed if run["question"].startswith("Since when?")]
    cells = [found.get(name, ("not reached", ""))[0] for name in STEPS]
    row = " | ".join((program.stem, *cells, f"{slow}+{cut_off}", f"{sum(followed)}/{len(followed)}"))
    faults = [f"    {name}: {detail}" for name, (state, detail) in found.items() if state != "ok"]
    return "\n".join([f"| {row} |", *faults])


async def main() -> None:
    """Try the programs that are named, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.clients", description=__doc__)
    parser.add_argument("names", nargs="*", help="stems of the programs; left out: all")
    parser.add_argument("--environments", type=Path, default=Path(tempfile.gettempdir()) / "elcano-clients")
    chosen = parser.parse_args()
    found = await asyncio.to_thread(lambda: sorted(PROGRAMS.iterdir()))
    programs = [one for one in found if one.stem != "steps" and one.suffix in (".py", ".mjs")]
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setattr("elcano.doors.openai_api.slow_answer.PROMPT_SECONDS", 1.0)
        patched.setattr("elcano.doors.openai_api.slow_answer.SPACE_SECONDS", 1.0)
        patched.setenv("OPENAI_API_KEY", "none is asked")
        patched.setenv("ELCANO", str(Path(sys.executable).with_name("elcano")))  # which clients of MCP start
        settings = handbook_settings(Path(folder))
        async with (
            temporal_environment(Path(folder) / "payloads") as environment,
            open_store(settings.data_dir) as store,
            working(environment.client, store, settings, SlowProvider()),
            serving(create_app(settings, store=store, client=connecting(environment.client))) as served,
        ):
            print("| client | " + " | ".join(STEPS) + " | runs of slow + cut | follow their run |", flush=True)
            for program in programs:
                if not chosen.names or program.stem in chosen.names:
                    print(await try_program(program, served, chosen.environments), flush=True)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
