"""`make load RUNS=30 AT_ONCE=10 SEED=1 MODE=iterative`; the exit code is 1 if a run was lost."""

import asyncio
import shutil
from pathlib import Path
from typing import Annotated, Final

import typer
from pydantic import ValidationError

from benchmarks.load.costs import Costs, Plan, foretell
from benchmarks.load.load import Phases, measure_load
from benchmarks.load.report import list_comparison_lines, list_cost_lines, list_scaling_lines
from benchmarks.load.scaling import Assumptions
from benchmarks.load.stack import ROOT

FOLDER: Final = ROOT / "build" / "load"
FIGURES: Final = "costs.json"


def main(
    runs: Annotated[int, typer.Option(min=1, help="How many runs are measured.")] = 30,
    at_once: Annotated[int, typer.Option(min=1, help="How many of them go on at the same time.")] = 10,
    mode: Annotated[str, typer.Option(help="`simple`, `iterative` or `deep`.")] = "iterative",
    turns: Annotated[int, typer.Option(min=1, help="Iterations of each research.")] = 3,
    sections: Annotated[int, typer.Option(min=0, help="Sections of each report; of the mode `deep`.")] = 0,
    streams: Annotated[int, typer.Option(min=1, help="Clients that follow each run.")] = 1,
    workers: Annotated[int, typer.Option(min=1, help="Worker processes.")] = 1,
    apis: Annotated[int, typer.Option(min=1, help="API processes.")] = 1,
    model_seconds: Annotated[float, typer.Option(min=0, help="Mean time until the model has answered.")] = 1.0,
    seed: Annotated[int, typer.Option(help="What documents, questions and answers are drawn from.")] = 1,
    against: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Costs of an earlier measurement, to be checked.")
    ] = None,
    folder: Annotated[Path, typer.Option(help="Where data, logs and figures are left.")] = FOLDER,
    assume: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="An assumption about the service; may be repeated.")
    ] = None,
    quick: Annotated[bool, typer.Option(help="Shorten the phases without runs; their figures say little.")] = False,
) -> None:
    """Measure what runs cost on a real Temporal server and PostgreSQL, and say what many would need."""
    if mode == "deep" and not sections:
        raise typer.BadParameter("a deep run has sections: set --sections (with make: SECTIONS)")
    given = read_assumptions(assume or [])
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
    before = Costs.model_validate_json(against.read_bytes()) if against is not None else None
    where = folder / f"{mode}-{runs}-{plan.at_once}"
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir(parents=True)
    phases = Phases(3.0, 3.0, 20, 5) if quick else Phases()
    outcome = asyncio.run(measure_load(plan, where, phases=phases, say=typer.echo))
    for line in list_cost_lines(outcome.costs):
        typer.echo(line)
    typer.echo("")
    for line in list_scaling_lines(outcome.costs, given):
        typer.echo(line)
    if before is not None:
        typer.echo("")
        for line in list_comparison_lines(foretell(before, outcome.costs)):
            typer.echo(line)
    (where / FIGURES).write_text(outcome.costs.model_dump_json(indent=1), encoding="utf-8")
    for text in outcome.lost:
        typer.echo(f"lost: {text}")
    typer.echo(f"the figures are in {where / FIGURES}")
    raise typer.Exit(1 if outcome.lost else 0)


def read_assumptions(texts: list[str]) -> Assumptions:
    """Read `NAME=VALUE` for each assumption that differs from the default.

    Raises:
        typer.BadParameter: there is no such assumption, or it cannot have this value.
    """
    given = dict(text.partition("=")[::2] for text in texts)
    if unknown := sorted(given.keys() - Assumptions.model_fields.keys()):
        there = ", ".join(Assumptions.model_fields)
        raise typer.BadParameter(f"nothing is assumed about {', '.join(unknown)}; there are {there}")
    try:
        return Assumptions.model_validate(given)
    except ValidationError as error:
        faults = (f"{fault['loc'][0]}: {fault['msg']}" for fault in error.errors())
        raise typer.BadParameter("; ".join(faults)) from None


if __name__ == "__main__":
    typer.run(main)
