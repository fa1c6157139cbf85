"""What is around the runs of a storm: databases that are only read, a tool that writes, processes of workers.

A worker that is killed cannot end what it started: each of these ends by itself, or is found here.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import psutil

from tests.chaos.programs import ROOT
from tests.chaos.storm.tables import TOOLS, WRITTEN, build, hashes

PARTING: Final = 30.0
"""Seconds in which a process that lost its worker has to end: a query may take 10, a model of a forecast 15."""


class Surroundings:
    """Made in a folder before anything is started."""

    def __init__(self, folder: Path) -> None:
        """`folder` is the storm's."""
        self._folder = folder
        self._tables = folder / "tables"
        self._hands = folder / TOOLS
        self._hands.mkdir()
        self.databases: Mapping[str, str] = build(self._tables)
        """Their addresses by name."""
        self._before = hashes(self._tables)

    @property
    def servers(self) -> dict[str, dict[str, Any]]:
        """The one server of tools, as `ELCANO_MCP_SERVERS` has it."""
        program = ROOT / "tests" / "tool_program.py"
        return {
            TOOLS: {
                "command": sys.executable,
                "args": [str(program), str(self._hands)],
                "tools": ["wait", "write_and_wait"],
                "writes": ["write_and_wait"],
            }
        }

    def written(self) -> Counter[str]:
        """How often the tool that writes did its work, by the name of the run that it was called for."""
        path = self._hands / WRITTEN
        return Counter(path.read_text(encoding="utf-8").splitlines() if path.exists() else ())

    def harmed(self) -> tuple[str, ...]:
        """What is wrong with the databases."""
        after = hashes(self._tables)
        places = self._before.keys() | after.keys()
        return tuple(
            f"{place} of the databases is not what it was"
            for place in sorted(places)
            if self._before.get(place) != after.get(place)
        )

    def left_behind(self, patience: float = PARTING) -> tuple[str, ...]:
        """Processes that are there although every worker is dead; they have `patience` seconds to end."""
        until = time.monotonic() + patience
        while (there := list(self._processes())) and time.monotonic() < until:
            time.sleep(0.2)
        return tuple(f"{' '.join(command)[:300]} was left behind" for command in there)

    def _processes(self) -> Iterator[list[str]]:
        """The commands of those that say the storm's folder, in their arguments or in what they were started with."""
        own, folder = psutil.Process().pid, str(self._folder)
        for process in psutil.process_iter():
            try:
                if process.pid == own or process.status() == psutil.STATUS_ZOMBIE:
                    continue
                command = process.cmdline()
                data = process.environ().get("ELCANO_DATA_DIR", "")
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
            if data.startswith(folder) or any(folder in part for part in command[1:]):
                yield command
