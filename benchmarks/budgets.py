"""Budgets that hold and buy research: random runs on the real server, and how many of them broke a promise.

Each has random limits, agents that use nothing, a lot or absurdly much, calls that fail, and some are stopped midway.
Targets: no run makes a research call once its budget is used up, none ends without a report, none with other than one
terminal event.

Before them, in memory: what default and smaller budgets buy with a model that thinks 2,500 tokens in each call. Target:
a deep run of six sections that want two rounds searches each at least twice, within its limit, and is not partial.
"""

from benchmarks.bench import Bench
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


async def bought(bench: Bench) -> int:
    """Says what budgets buy; how many sections of the first one were searched less than twice, or were left out."""
    missed = 0
    bench.say(f"with {HIDDEN_TOKENS:,} hidden tokens a call:")
    plays = [("deep", 2, 2, None)] if bench.small else BOUGHT
    for place, (mode, sections, rounds, tokens) in enumerate(plays):
        limits = None if tokens is None else Limits(tokens=tokens, seconds=1_800)
        folder = bench.folder / str(place)
        run = (outcome := await played(folder, mode, sections, rounds, limits)).journal.run
        made, used, limit = searches(outcome), run.budget.used.tokens, run.budget.limits.tokens
        ended = f"partial: {run.ending.kind}" if run.ending else "complete"
        of_sections = f"{len(made)} of {sections} sections, searched {min(made)} to {max(made)} times" if made else ""
        turns = of_sections or f"{run.budget.iterations} rounds"
        bench.say(
            f"{mode}, {rounds} rounds wanted: {turns}; {used:,} of {limit:,} tokens ({used / limit:.0%}); {ended}"
        )
        if not place:
            missed = sections - sum(count >= 2 for count in made)
            bench.tell("tokens of the limit", used / limit)
    return missed


async def main(bench: Bench) -> None:
    """Plays the runs and tells what the audit found."""
    bench.tell("sections searched less than twice", await bought(bench))
    async with bench.temporal() as client:
        tally = await random_scenarios(client, bench.choose(1_000, 3), seed=1)
    for line in told(tally).splitlines():
        bench.say(line)
    bench.tell("broken promises", len(tally.faults))
