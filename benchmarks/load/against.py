"""The same load on another commit, in turns with this one: a machine whose speed changes changes both."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import mean
from typing import Any, Final

from benchmarks.load.stack import ROOT

COSTS: Final = "costs.json"
_TOOK: Final = re.compile(r"^they took ([\d.]+) s", re.MULTILINE)

Figures = Mapping[str, float]


def measure_against(
    commit: str, arguments: Sequence[str], folder: Path, rounds: int, say: Callable[[str], None]
) -> list[str]:
    """Measure `commit` and this checkout in turns; returns lines with both, and the ratio.

    `arguments` are those of this program that say what is measured.

    Raises:
        RuntimeError: the commit cannot be checked out, or a measurement failed.
    """
    found: dict[str, list[Figures]] = {"before": [], "now": []}
    with _check_out(commit) as before:
        for number in range(rounds):
            for name, tree in (("before", before), ("now", ROOT)):
                found[name].append(_measure(tree, arguments, folder / f"{name}-{number}"))
                say(f"round {number + 1}, {name}: {found[name][-1]['processor, s']:.3f} s of processor a run")
    return list(_list_lines(commit, *({key: mean(one[key] for one in of) for key in of[0]} for of in found.values())))


@contextmanager
def _check_out(commit: str) -> Iterator[Path]:
    """The tree of a commit, in which Python finds `elcano` before the one of the environment."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        _run(["git", "worktree", "add", "--detach", str(tree), commit], ROOT)
        try:
            (tree / "elcano").symlink_to(tree)
            yield tree
        finally:
            _run(["git", "worktree", "remove", "--force", str(tree)], ROOT)


def _measure(tree: Path, arguments: Sequence[str], folder: Path) -> Figures:
    shutil.rmtree(folder, ignore_errors=True)  # of an earlier comparison
    python = ["env", f"PYTHONPATH={tree}", sys.executable]
    said = _run([*python, "-m", "benchmarks.load", *arguments, "--folder", str(folder)], tree)
    (costs,) = folder.glob(f"*/{COSTS}")
    took = _TOOK.search(said)
    return _read_figures(json.loads(costs.read_text(encoding="utf-8")), float(took[1]) if took else 0.0)


def _run(command: Sequence[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed: {(done.stdout + done.stderr)[-2_000:]}")
    return done.stdout


def _read_figures(costs: Mapping[str, Any], took: float) -> Figures:
    """What is compared, from what any commit writes."""
    return {
        "processor, s": sum(costs["cpu"].values()),
        **{f"processor of the {kind}, s": costs["cpu"][kind] for kind in sorted(costs["cpu"])},
        "requests to Temporal": sum(costs["rpcs"].values()),
        "of them heartbeats": costs["rpcs"].get("RecordActivityTaskHeartbeat", 0.0),
        "queries of Temporal's database": sum(costs["persistence"].values()),
        "statements": sum(costs["statements"].values()),
        "transactions": costs["transactions"],
        "commits": costs["commits"],
        "seconds of a run, median": costs["run"]["seconds"],
        "runs a second": costs["plan"]["runs"] / took if took else 0.0,
        "queries of runs over a second": costs["slow"]["queries of runs"],
        **{f"{kind} at rest, MB": costs["base_bytes"][kind] / 1e6 for kind in ("worker", "api")},
        **{f"{kind} at rest, ms a second": costs["idle_cpu"].get(kind, 0.0) * 1_000 for kind in ("worker", "api")},
    }


def _list_lines(commit: str, before: Figures, now: Figures) -> Iterator[str]:
    yield f"{'of a run':36}{commit[:12]:>14}{'now':>14}{'ratio':>8}"
    for name, value in before.items():
        ratio = f"{now[name] / value:.2f}" if value else ""
        yield f"{name:36}{value:>14,.3f}{now[name]:>14,.3f}{ratio:>8}"
