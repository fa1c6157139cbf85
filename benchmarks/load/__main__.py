"""`make load RUNS=30 AT_ONCE=10 SEED=1 MODE=iterative`; the exit code is 1 if a run was lost."""

import asyncio
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from benchmarks.load.against import COSTS, measure_against
from benchmarks.load.costs import Plan
from benchmarks.load.load import Phases, measure_load
from benchmarks.load.report import list_cost_lines, list_scaling_lines
from benchmarks.load.scaling import Assumptions
from benchmarks.load.stack import ROOT

FOLDER: Final = ROOT / "build" / "load"
MODES: Final = ("simple", "iterative", "deep")


def main(
    runs: Annotated[int, typer.Option(min=1, help="How many runs are measured.")] = 30,
    at_once: Annotated[int, typer.Option(min=1, help="How many of them go on at the same time.")] = 10,
    mode: Annotated[str, typer.Option(help="`simple`, `iterative`, or `deep` with --sections.")] = "iterative",
    turns: Annotated[int, typer.Option(min=1, help="Iterations of each research.")] = 3,
    sections: Annotated[int, typer.Option(min=0, help="Sections of each report; of the mode `deep`.")] = 0,
    streams: Annotated[int, typer.Option(min=1, help="Clients that follow each run.")] = 1,
    workers: Annotated[int, typer.Option(min=1, help="Worker processes.")] = 1,
    apis: Annotated[int, typer.Option(min=1, help="API processes.")] = 1,
    model_seconds: Annotated[float, typer.Option(min=0, help="Mean time until the model has answered.")] = 1.0,
    seed: Annotated[int, typer.Option(help="What documents, questions and answers are drawn from.")] = 1,
    folder: Annotated[Path, typer.Option(help="Where data, logs and figures are left.")] = FOLDER,
    quick: Annotated[bool, typer.Option(help="Shorten the phases without runs; their figures say little.")] = False,
    against: Annotated[str, typer.Option(help="A commit that is measured in turns with this one, and compared.")] = "",
    rounds: Annotated[int, typer.Option(min=1, help="How often each is measured, with --against.")] = 2,
) -> None:
    """Measure what runs cost on a real Temporal server and PostgreSQL, and say what many would need."""
    if mode not in MODES:
        raise typer.BadParameter(f"the model of this program answers for {', '.join(MODES)}, and not for {mode!r}")
    if mode == "deep" and not sections:
        raise typer.BadParameter("a deep run has sections: set --sections (with make: SECTIONS)")
    if against:
        for line in measure_against(against, list_other_arguments(sys.argv[1:]), folder, rounds, typer.echo):
            typer.echo(line)
        return
    plan = Plan(
        runs=runs,
        at_once=min(at_once, runs),
        mode=mode,
        turns=turns,
        sections=sections,
        streams=streams,
        workers=workers,
        apis=apis,
        model_seconds=model_seconds,
        seed=seed,
    )
    where = folder / f"{mode}-{runs}-{plan.at_once}-{model_seconds:g}s"
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir(parents=True)
    phases = Phases(3.0, 3.0, 20, 5) if quick else Phases()
    outcome = asyncio.run(measure_load(plan, where, phases=phases, say=typer.echo))
    for line in list_cost_lines(outcome.costs):
        typer.echo(line)
    typer.echo("")
    for line in list_scaling_lines(outcome.costs, Assumptions()):
        typer.echo(line)
    (where / COSTS).write_text(outcome.costs.model_dump_json(indent=1), encoding="utf-8")
    for text in outcome.lost:
        typer.echo(f"lost: {text}")
    typer.echo(f"the figures are in {where / COSTS}; benchmarks.load.foresee reads them with other assumptions")
    raise typer.Exit(1 if outcome.lost else 0)


def list_other_arguments(given: Sequence[str]) -> list[str]:
    """The arguments of a single measurement: those without --against, --rounds and --folder, each with its value."""
    left, kept = iter(given), []
    for one in left:
        if one in ("--against", "--rounds", "--folder"):
            next(left, None)
        elif not one.startswith(("--against=", "--rounds=", "--folder=")):
            kept.append(one)
    return kept


if __name__ == "__main__":
    typer.run(main)
