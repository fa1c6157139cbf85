"""The commands about agents and their options."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Look at agents, make, check and keep some of your own.")

_Made = Annotated[str, typer.Argument(help="The name of the new agent.", show_default=False)]
_File = Annotated[Path, typer.Argument(help="A JSON file with an agent.", show_default=False)]
_Named = Annotated[str, typer.Argument(help="A built-in agent, or one of your own.", show_default=False)]
_Kept = Annotated[list[str], typer.Argument(help="Names of agents of your own.", show_default=False)]


@app.command("list")
def agent_list(
    own: Annotated[bool, typer.Option("--own", help="Those of your own, which the API keeps.")] = False,
) -> None:
    """List the agents that nodes can call; the built-in ones need no server."""
    from elcano.cli import agents

    raise typer.Exit(agents.list_agents(own=own))


@app.command("show")
def agent_show(name: _Named) -> None:
    """Print an agent as JSON: its input, output and instructions."""
    from elcano.cli import agents

    raise typer.Exit(agents.show_agent(name))


@app.command("new")
def agent_new(name: _Made) -> None:
    """Print an agent to begin with: write it to a file and change it."""
    from elcano.cli import agents

    raise typer.Exit(agents.print_new_agent(name))


@app.command("check")
def agent_check(file: _File) -> None:
    """Print every fault of an agent, with its place; exit code 2 if there is one. Needs no server."""
    from elcano.cli import agents

    raise typer.Exit(agents.check_agent(file))


@app.command("push")
def agent_push(file: _File) -> None:
    """Have the API keep an agent, as a new version if it has one of that name."""
    from elcano.cli import agents

    raise typer.Exit(agents.push_agent(file))


@app.command("delete")
def agent_delete(names: _Kept) -> None:
    """Delete agents of your own with all their versions; graphs and runs that call them go on."""
    from elcano.cli import agents

    raise typer.Exit(agents.delete_agents(names))
