"""`python -m benchmarks.load.foresee COSTS.json`: what many runs need, from what `make load` measured before."""

from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from benchmarks.load.costs import Costs, foretell
from benchmarks.load.report import list_comparison_lines, list_scaling_lines
from benchmarks.load.scaling import Assumptions, tell_time_apart


def main(
    measured: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The `costs.json` of a measurement.")],
    slow: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="That of the same runs with a slower model: tells time apart."),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="That of another number of runs, to compare with."),
    ] = None,
    assume: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="An assumption about the service; may be repeated.")
    ] = None,
) -> None:
    """Say what many runs need and what is too little first; or how well that describes another measurement."""
    given = read_assumptions(assume or [])
    fast, other, now = read_costs(measured), slow and read_costs(slow), check and read_costs(check)
    seconds = now.run.seconds if now else given.run_seconds
    try:
        costs = tell_time_apart(fast, other, seconds) if other else fast
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    for line in list_comparison_lines(foretell(costs, now)) if now else list_scaling_lines(costs, given):
        typer.echo(line)


def read_costs(file: Path) -> Costs:
    """Read what a measurement left.

    Raises:
        typer.BadParameter: the file is something else.
    """
    try:
        return Costs.model_validate_json(file.read_bytes())
    except ValidationError as error:
        why = error.errors()[0]["msg"]
        raise typer.BadParameter(f"{file} has no costs of this version of `make load`: {why}") from None


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
