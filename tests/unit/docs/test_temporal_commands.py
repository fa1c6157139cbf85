"""`docs/temporal.md` says of every command of Temporal's command line what it does to a run."""

import re
import subprocess
from functools import cache
from pathlib import Path
from typing import Final

from elcano.dev.temporal import temporal_binary

PAGE: Final = Path(__file__).parents[3] / "docs" / "temporal.md"
NOT_ABOUT_RUNS: Final = re.compile(
    r"^(completion|config|env|nexus|options|operator (cluster|nexus))\b"  # the command line itself, and its server
    r"|^operator namespace (describe|list)$|^operator search-attribute list$"
    r"|^activity (cancel|delete|execute|start|terminate)$"  # of activities that belong to no workflow
    r"|^task-queue (get-build|update-build-ids|versioning)"  # a versioning that no worker of ours uses
    r"|^worker deployment (create|create-version|manager-identity|update-version)\b"
    r"|^workflow fix-history-json$"  # edits a file
)


@cache
def help_of(command: tuple[str, ...]) -> str:
    binary = temporal_binary()
    assert binary is not None
    return subprocess.run([binary, *command, "--help"], check=True, capture_output=True, text=True).stdout


def commands(path: tuple[str, ...] = ()) -> list[str]:
    """All commands that can be run, by the help of each."""
    text = help_of(path)
    _, listed, below = text.partition("Available Commands:\n")
    own = [" ".join(path)] if re.search(rf"^  temporal {' '.join(path)} \[flags\]$", text, re.MULTILINE) else []
    if not listed:
        return own
    names = [line.split()[0] for line in below.split("\n\n")[0].splitlines() if line.strip()]
    return own + [found for name in names if name != "help" for found in commands((*path, name))]


def section() -> str:
    return PAGE.read_text(encoding="utf-8").split("\n## Temporal's commands\n")[1].split("\n## ")[0]


def explained() -> set[str]:
    """The commands that the table and the list below it name, but for those that an explanation names."""
    table = "\n".join(line.split("|")[1] for line in section().splitlines() if line.startswith("| `"))
    reading = section().split("These only read:")[1]
    return set(re.findall(r"`([a-z][a-z -]+)`", table + " ".join(reading.split())))


def test_every_command_that_concerns_runs_is_explained_and_no_other() -> None:
    there = {command for command in commands() if not NOT_ABOUT_RUNS.search(command)}
    assert {"workflow reset", "workflow cancel", "activity pause", "schedule update"} <= there
    assert explained() == there
