"""The commands that look back: `steps`, `step` and `diff`. Other modules make what they show, when it is needed."""

from typing import Annotated

import typer

from elcano.cli.options import AsJson, Run
from elcano.cli.run_ids import whole_id


def steps(run: Run, as_json: AsJson = False) -> None:
    """List a run's steps: what each was, how long it took, what it used and how it ended."""
    from elcano.cli import step_list

    raise typer.Exit(step_list.print_steps(run, as_json=as_json))


def step(
    run: Run,
    number: Annotated[int, typer.Argument(help="The step's number, as `elcano steps` lists it.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Inspect a step: its input and output, what it changed and what it cost."""
    from elcano.cli import step_detail

    raise typer.Exit(step_detail.print_step(run, number, as_json=as_json))


def diff(
    a: Annotated[str, typer.Argument(help="A run's id, or a part of it.", show_default=False, callback=whole_id)],
    b: Annotated[str, typer.Argument(help="The run that it is compared with.", show_default=False, callback=whole_id)],
    as_json: AsJson = False,
) -> None:
    """Compare two runs: questions, steps, evidence, costs, and what the reports say."""
    from elcano.cli import comparison

    raise typer.Exit(comparison.print_run_diff(a, b, as_json=as_json))
