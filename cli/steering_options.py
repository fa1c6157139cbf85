"""The commands that say how a run goes on, and their options: steer, approve, refuse."""

from pathlib import Path
from typing import Annotated

import typer

from elcano.cli.options import Key, Run

app = typer.Typer()

Call = Annotated[
    str, typer.Option(help="Decide on this call of a tool instead, by its id; `watch` shows it.", show_default=False)
]
By = Annotated[str, typer.Option(help="Who decides; told in the events.", show_default=False)]


@app.command()
def steer(
    run: Run,
    instruction: Annotated[str, typer.Argument(help="What you want of the research from now on.")] = "",
    add_source: Annotated[list[str] | None, typer.Option(help="Search this source too; repeatable.")] = None,
    drop_source: Annotated[list[str] | None, typer.Option(help="Search this source no more; repeatable.")] = None,
    add_section: Annotated[
        list[str] | None,
        typer.Option(help="Research this section too; repeatable.", metavar="TITLE[: QUESTION]"),
    ] = None,
    drop_section: Annotated[
        list[str] | None, typer.Option(help="Leave this section out; repeatable.", metavar="TITLE")
    ] = None,
    key: Key = "",
) -> None:
    """Have a run go on otherwise: by another instruction, in other sources, with other sections."""
    from elcano.cli import steering

    changes = steering.build_steer_request(instruction, add_source, drop_source, add_section, drop_section)
    raise typer.Exit(steering.steer_run(run, changes, key))


@app.command()
def approve(
    run: Run,
    file: Annotated[
        Path | None,
        typer.Option(
            help='Research the plan in this JSON file: {"title": ..., "sections": [{"title": ..., "question": ..., '
            '"criteria": [...]}]}, of which what is not needed may be left out; `-` reads standard input.',
            show_default=False,
        ),
    ] = None,
    call: Call = "",
    by: By = "",
    key: Key = "",
) -> None:
    """Approve the plan that a run waits with, as it is or as it stands in a file, or a call of a tool."""
    from elcano.cli import steering

    raise typer.Exit(steering.approve_pending(run, file, call, by, key))


@app.command()
def refuse(
    run: Run,
    reason: Annotated[str, typer.Argument(help="Shown in the events, and in a report's head.", show_default=False)],
    call: Call = "",
    by: By = "",
    key: Key = "",
) -> None:
    """Refuse the plan that a run waits with, which ends it, or a call of a tool, without which it goes on."""
    from elcano.cli import steering

    raise typer.Exit(steering.refuse_pending(run, reason, call, by, key))
