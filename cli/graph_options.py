"""The commands about graphs and their options."""

from pathlib import Path
from typing import Annotated

import typer

from elcano.cli.options import AsJson, Name

app = typer.Typer(no_args_is_help=True, help="Look at graphs, make, check, try and keep them.")

_Made = Annotated[str, typer.Argument(help="The name of the new graph.", show_default=False)]
_File = Annotated[Path, typer.Argument(help="A JSON file with a graph.", show_default=False)]
_Kept = Annotated[list[str], typer.Argument(help="Names of graphs of your own.", show_default=False)]


@app.command("list")
def graph_list(
    own: Annotated[bool, typer.Option("--own", help="Those of your own, which the API keeps.")] = False,
) -> None:
    """List the graphs that a run can be started with; the built-in ones need no server."""
    from elcano.cli import graphs

    raise typer.Exit(graphs.list_own() if own else graphs.list_graphs())


@app.command("show")
def graph_show(name: Name) -> None:
    """Print a graph as JSON."""
    from elcano.cli import graphs

    raise typer.Exit(graphs.show_graph(name))


@app.command("new")
def graph_new(
    name: _Made,
    like: Annotated[str, typer.Option("--like", help="The graph to begin with: a built-in one or a file.")] = "simple",
) -> None:
    """Print a graph to begin with, under a name of your own: write it to a file and change it."""
    from elcano.cli import graphs

    raise typer.Exit(graphs.print_new_graph(name, like))


@app.command("check")
def graph_check(name: Name) -> None:
    """Print every fault of a graph; exit code 2 if there is one. Needs no server."""
    from elcano.cli import graphs

    raise typer.Exit(graphs.check_graph(name))


@app.command("draw")
def graph_draw(name: Name) -> None:
    """Print a graph as a Mermaid flow chart."""
    from elcano.cli import graphs

    raise typer.Exit(graphs.draw_graph(name))


@app.command("try")
def graph_try(
    name: Name,
    question: Annotated[str, typer.Option(help="What the walk is about.")] = "What is it?",
    answers: Annotated[
        Path | None,
        typer.Option(help="A JSON file: by node a list of what its visits answer.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Walk a graph with invented answers, or with yours. Nothing is searched, asked or paid for; needs no server."""
    from elcano.cli import graph_walk

    raise typer.Exit(graph_walk.print_graph_walk(name, question, answers, as_json=as_json))


@app.command("push")
def graph_push(file: _File) -> None:
    """Have the API keep a graph, as a new version if it has one of that name; `elcano ask --mode NAME` runs it."""
    from elcano.cli import graphs

    raise typer.Exit(graphs.push_graph(file))


@app.command("delete")
def graph_delete(names: _Kept) -> None:
    """Delete graphs of your own with all their versions; runs that walk them go on."""
    from elcano.cli import graphs

    raise typer.Exit(graphs.delete_graphs(names))
