"""Budgets that hold: random runs on the real server, and how many of them broke a promise.

Each has random limits, agents that use nothing, a lot or absurdly much, calls that fail, and some are stopped midway.
Targets: no run makes a research call once its budget is used up, none ends without a report, none with other than one
terminal event. Exits with an error if one is missed.
"""

import argparse
import asyncio
import sys

from benchmarks.server import temporal_server
from tests.workflow.random_runs import Tally, random_scenarios


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


async def main(runs: int = 1_000, seed: int = 1) -> None:
    """Plays the runs and prints what the audit found; leaves the program if a promise was broken."""
    async with temporal_server() as client:
        tally = await random_scenarios(client, runs, seed)
    print(told(tally))
    await asyncio.sleep(0.3)  # the SDK's runtime can abort an interpreter that exits right after it
    if tally.faults:
        sys.exit(1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    asyncio.run(main(asked.runs, asked.seed))
