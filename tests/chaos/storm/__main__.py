"""`make chaos RUNS=n SEED=s`, or one run of a seed alone with `RUN=k`; the exit code is 1 if anything is wrong."""

import asyncio
import os
import shutil
from pathlib import Path
from typing import Annotated, Final

import typer

from elcano.operations.encryption.keys import INDEX, VARIABLE, make_key
from tests.chaos.programs import ROOT
from tests.chaos.storm.figures import told
from tests.chaos.storm.schedule import Target, chosen, killed, plan
from tests.chaos.storm.storm import Weather, storm

FOLDER: Final = ROOT / "build" / "chaos"


def main(
    runs: Annotated[int, typer.Option(min=1, help="How many runs, beside their twins.")] = 30,
    seed: Annotated[int, typer.Option(help="What everything is drawn from.")] = 1,
    run: Annotated[int | None, typer.Option(min=1, help="Only this run of the seed.")] = None,
    only: Annotated[Target | None, typer.Option(help="Kill this once in each run, and do nothing else.")] = None,
    at_once: Annotated[int, typer.Option(min=1, help="Runs side by side.")] = 6,
    workers: Annotated[int, typer.Option(min=1, help="Workers; all of them are killed together.")] = 1,
    postgres: Annotated[bool, typer.Option(help="Keep the store in PostgreSQL, which is killed too.")] = False,
    encrypted: Annotated[bool, typer.Option(help="Encrypt what Temporal and the store keep.")] = False,
    modes: Annotated[str, typer.Option(help="Modes to draw from, or `loops` and `teams`, with commas.")] = "",
    folder: Annotated[Path, typer.Option(help="Where everything is kept.")] = FOLDER,
    quiet: Annotated[bool, typer.Option(help="Tell the figures alone.")] = False,
) -> None:
    """Plays runs on a stack whose processes are killed, and tells what was lost."""
    try:
        drawn_from = chosen([name.strip() for name in modes.split(",") if name.strip()])
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    numbers = range(1, runs + 1) if run is None else [run]
    plans = [
        killed(seed, number, only, modes=drawn_from)
        if only is not None
        else plan(seed, number, postgres=postgres, modes=drawn_from)
        for number in numbers
    ]
    where = folder / f"seed-{seed}"
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir(parents=True)
    if encrypted:  # read by the programs of the stack, and by this one, which looks into the store
        os.environ[VARIABLE] = f"{make_key('chaos')},{make_key(INDEX)}"
    weather = Weather(at_once, workers, postgres, encrypted)
    outcome = asyncio.run(storm(seed, plans, where, weather, (lambda _: None) if quiet else typer.echo))
    for line in told(outcome.figures):
        typer.echo(line)
    for finding in outcome.findings:
        typer.echo(f"{finding.kind}: {finding.run}: {finding.text}")
    (where / "figures.json").write_text(outcome.figures.model_dump_json(indent=1), encoding="utf-8")
    records = "\n".join(one.model_dump_json() for one in outcome.runs)
    (where / "runs.jsonl").write_text(records, encoding="utf-8")
    typer.echo(f"figures, records and logs are in {where}")
    raise typer.Exit(1 if outcome.findings else 0)


if __name__ == "__main__":
    typer.run(main)
