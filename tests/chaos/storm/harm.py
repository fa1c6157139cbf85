"""What a storm did to what is around its runs."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from tests.chaos.storm.checks import Finding
from tests.chaos.storm.records import Played
from tests.chaos.storm.tables import TOOLS


def harm(runs: Sequence[Played], written: Mapping[str, int], around: Sequence[str]) -> list[Finding]:
    """What the storm did to its surroundings: a tool that wrote more than once for a run, or not although it is told.

    And what is wrong `around` the runs, of no one of them.
    """
    found = [Finding("harm", "all", text) for text in around]
    for name, times in written.items():
        if times > 1:
            found.append(Finding("harm", name, f"a tool that writes did so {times} times"))
    for run in runs:
        told = run.left is not None and any(one.startswith(f"mcp:{TOOLS}/write") for one in run.left.evidence)
        if told and not written.get(_payer(run)):
            found.append(Finding("harm", run.plan.name, "it cites a tool that never wrote"))
    return found


def find_in_clear(folders: Iterable[Path], questions: Collection[str]) -> list[Finding]:
    """Files that have a question in clear, of a storm whose data is encrypted."""
    words = [question.encode() for question in questions]
    files = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    readable = [file for file in files if any(word in file.read_bytes() for word in words)]
    return [Finding("harm", "all", f"a question stands in clear in {file}") for file in readable]


def _payer(run: Played) -> str:
    """The name of the run whose splitter asked for the tool: of a fork that came later the one that it shares it of."""
    shared = any(call.agent == "splitter" for call in run.shared)
    return run.plan.model_copy(update={"fork": False}).name if shared else run.plan.name
