"""The commands about what runs found, and their options."""

from typing import Annotated

import typer

from elcano.cli.options import AsJson

app = typer.Typer(no_args_is_help=False)

Node = Annotated[
    str,
    typer.Argument(
        help="A node's id, as `elcano knowledge search` prints it, or its key: a run's id, `doi:10.1000/1`.",
        show_default=False,
    ),
]


@app.callback(invoke_without_command=True)
def known(context: typer.Context, as_json: AsJson = False) -> None:
    """Say how much the runs found so far."""
    from elcano.plugins.knowledge import knowledge_command as knowledge

    if context.invoked_subcommand is None:
        raise typer.Exit(knowledge.print_knowledge_counts(as_json=as_json))


@app.command()
def search(
    words: Annotated[str, typer.Argument(help="What to look for.", show_default=False)],
    kind: Annotated[
        list[str] | None,
        typer.Option(
            help="Only nodes of this kind: run, document, author, entity, claim, trial, table or column; repeatable.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many at most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Search what runs found: claims of reports, documents, authors and the entities that they mention."""
    from elcano.plugins.knowledge import knowledge_command as knowledge

    raise typer.Exit(knowledge.print_found_nodes(words, kind or [], limit, as_json=as_json))


@app.command()
def show(
    node: Node,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Edges at most.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Show a node and its neighbours, each with the run and the passage that support it."""
    from elcano.plugins.knowledge import knowledge_command as knowledge

    raise typer.Exit(knowledge.print_node(node, limit, as_json=as_json))


@app.command()
def paths(
    start: Node,
    end: Node,
    longest: Annotated[int, typer.Option(min=1, max=6, help="Edges of a path at most.")] = 4,
    limit: Annotated[int, typer.Option(min=1, max=20, help="Paths at most.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Show the shortest ways from one node to another."""
    from elcano.plugins.knowledge import knowledge_command as knowledge

    raise typer.Exit(knowledge.print_node_paths(start, end, longest, limit, as_json=as_json))


@app.command()
def cypher(
    query: Annotated[str, typer.Argument(help="An openCypher query that reads.", show_default=False)],
    column: Annotated[
        list[str], typer.Option(help="A name for each value that RETURN gives; repeatable.", show_default=False)
    ],
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Rows at most.")] = 100,
    as_json: AsJson = False,
) -> None:
    """Ask openCypher, where the graph is in Apache AGE."""
    from elcano.plugins.knowledge import knowledge_command as knowledge

    raise typer.Exit(knowledge.print_cypher_rows(query, column, limit, as_json=as_json))
