"""Budgets that hold and buy research: random runs on the real server, and how many of them broke a promise.

Each has random limits, agents that use nothing, a lot or absurdly much, calls that fail, and some are stopped midway.
Targets: no run makes a research call once its budget is used up, none ends without a report, none with other than one
terminal event. Exits with an error if one is missed.

Before them, in memory: what default and smaller budgets buy with a model that thinks 2,500 tokens in each call. Target:
a deep run of six sections that want two rounds searches each at least twice, within its limit, and is not partial.
"""

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from benchmarks.server import temporal_server
from elcano.graphs.state.budget import Limits
from tests.workflow.random_runs import Tally, random_scenarios
from tests.workflow.reasoning import HIDDEN_TOKENS, played, searches


def told(tally: Tally) -> str:
    """The figures in words."""
    endings = ", ".join(f"{kind} {count}" for kind, count in tally.endings.most_common())
    return "\n".join(
        [
            f"runs {tally.runs}, with {tally.branches} branches, in {tally.seconds:.0f} s",
            f"ended by: {endings}",
            f"overspends beyond what was in flight {tally.overspends} (target 0)",
            f"runs without report {tally.without_report} (target 0)",
            f"runs with other than one terminal event {tally.not_ended_once} (target 0)",
            f"runs whose events have gaps {tally.wrongly_numbered} (target 0)",
            f"runs charged other than their calls {tally.wrongly_charged} (target 0)",
            *tally.faults[:20],
        ]
    )


BOUGHT = (
    ("deep", 6, 2, None),
    ("deep", 6, 9, None),
    ("deep", 8, 2, None),
    ("deep", 6, 2, 400_000),
    ("deep", 6, 2, 200_000),
    ("deep", 6, 2, 100_000),
    ("iterative", 0, 2, None),
    ("iterative", 0, 9, None),
    ("simple", 0, 9, None),
)
"""Modes, sections planned, rounds wanted of each loop, and tokens; None: the default."""


async def bought() -> bool:
    """Prints what budgets buy; false if the first of them misses its target."""
    held = True
    print(f"with {HIDDEN_TOKENS:,} hidden tokens a call:")
    for place, (mode, sections, rounds, tokens) in enumerate(BOUGHT):
        limits = None if tokens is None else Limits(tokens=tokens, seconds=1_800)
        with tempfile.TemporaryDirectory() as folder:
            run = (outcome := await played(Path(folder), mode, sections, rounds, limits)).journal.run
        made, used, limit = searches(outcome), run.budget.used.tokens, run.budget.limits.tokens
        ended = f"partial: {run.ending.kind}" if run.ending else "complete"
        of_sections = f"{len(made)} of {sections} sections, searched {min(made)} to {max(made)} times" if made else ""
        turns = of_sections or f"{run.budget.iterations} rounds"
        print(f"  {mode}, {rounds} rounds wanted: {turns}; {used:,} of {limit:,} tokens ({used / limit:.0%}); {ended}")
        if not place:
            held = len(made) == sections and min(made) >= 2 and used <= limit and run.ending is None
    return held


async def main(runs: int = 1_000, seed: int = 1) -> None:
    """Plays the runs and prints what the audit found; leaves the program if a promise was broken."""
    enough = await bought()
    async with temporal_server() as client:
        tally = await random_scenarios(client, runs, seed)
    print(told(tally))
    await asyncio.sleep(0.3)  # the SDK's runtime can abort an interpreter that exits right after it
    if tally.faults or not enough:
        sys.exit(1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    asyncio.run(main(asked.runs, asked.seed))
