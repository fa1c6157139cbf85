"""A storm from its beginning to its figures: the twins; then the runs, several at once; then what they left."""

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.chaos.storm.checks import Finding, findings
from tests.chaos.storm.collecting import collected
from tests.chaos.storm.figures import Figures, figures
from tests.chaos.storm.harm import find_in_clear, harm
from tests.chaos.storm.playing import play, routes
from tests.chaos.storm.records import Played
from tests.chaos.storm.schedule import Plan
from tests.chaos.storm.stack import Stormy, ready, stormy


class Weather(NamedTuple):
    """How a storm is made."""

    at_once: int = 6
    """Runs side by side."""
    workers: int = 1
    postgres: bool = False
    encrypted: bool = False
    """The keys are in the environment."""


class Outcome(NamedTuple):
    """What came of it."""

    figures: Figures
    findings: list[Finding]
    runs: list[Played]


async def storm(
    seed: int, plans: Sequence[Plan], folder: Path, weather: Weather, say: Callable[[str], None]
) -> Outcome:
    """Plays `plans` and their twins in `folder`, which is there and empty."""
    began = time.monotonic()
    scripts = list(dict.fromkeys(plan.script for plan in plans))
    faults = {plan.name: plan.faults for plan in plans}
    async with stormy(folder, faults, postgres=weather.postgres, workers=weather.workers) as stack:
        known = await routes(stack.settings.base_url)
        pairs = [Plan(seed=seed, number=0, script=script, twin=True) for script in scripts]
        undisturbed = await _all(stack, pairs, {}, known, weather, say)
        stories = {run.plan.script.name: run.transcripts[0].told for run in undisturbed}
        played = await _all(stack, plans, stories, known, weather, say)
        await ready(stack.settings)
        twins = {run.plan.script.name: run for run in await collected(stack, undisturbed)}
        whole = await collected(stack, played)
        found = [one for twin in twins.values() for one in findings(twin, twin, ())]
        found += [one for run in whole for one in findings(run, twins[run.plan.script.name], stack.applied)]
        seconds = time.monotonic() - began
    written = stack.surroundings.written()
    found += harm([*twins.values(), *whole], written, (*stack.surroundings.harmed(), *stack.left_behind))
    if weather.encrypted:
        found += find_in_clear((stack.settings.data_dir, folder / "logs"), {script.question for script in scripts})
    summed = figures(seed, whole, len(twins), stack.applied, stack.ended, found, seconds, written.total())
    return Outcome(summed, found, whole)


async def _all(
    stack: Stormy,
    plans: Sequence[Plan],
    stories: dict[str, int],
    known: frozenset[str],
    weather: Weather,
    say: Callable[[str], None],
) -> list[Played]:
    places = asyncio.Semaphore(weather.at_once)

    async def one(plan: Plan) -> list[Played]:
        async with places:
            say(f"{plan.name}: {plan.told()}")
            runs = await play(stack, plan, stories.get(plan.script.name, 0), known)
            for run in runs:
                took = f"{run.ended - run.began:.1f} s" if run.ended is not None else "STUCK"
                say(f"{plan.name}: {took} ({run.run_id})")
            return runs

    return [run for runs in await asyncio.gather(*map(one, plans)) for run in runs]
