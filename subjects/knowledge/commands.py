"""`elcano knowledge`: search what runs found. One thing a line, its id last, for the next command."""

import re
from typing import Annotated, Any, Final

import typer

from elcano.cli.exit_codes import BadInput
from elcano.cli.options import AsJson, argument, option
from elcano.cli.printing import exit_with_json, format_line, print_line
from elcano.cli.requests import get_json, post_json

app = typer.Typer(no_args_is_help=False)

NAME_CHARACTERS: Final = 100
"""Characters of a name on a line."""

Node = Annotated[
    str, argument("A node's id, as `elcano knowledge search` prints it, or its key: a run's id, `doi:10.1000/1`.")
]


@app.callback(invoke_without_command=True)
def print_counts(context: typer.Context, as_json: AsJson = False) -> None:
    """Show how much the runs found so far."""
    if context.invoked_subcommand is not None:
        return
    found: dict[str, Any] = get_json("/v1/knowledge")
    exit_with_json(found, wanted=as_json)
    if not found["nodes"]:
        print_line("Nothing is known yet: every run that ends adds what it found.")
    for kind in ("nodes", "edges"):
        for name, number in found[kind].items():
            print_line(f"{kind}  {name:<10}  {number:>9,}")


@app.command("search")
def search_nodes(
    words: Annotated[str, argument("What to look for.")],
    kind: Annotated[
        list[str] | None,
        option("Only nodes of this kind: run, document, author, entity, claim, trial, table or column. Repeatable."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many to show.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Search the findings of runs: claims of reports, documents, authors and the entities they mention."""
    found = _search_nodes(words, kind or [], limit)
    exit_with_json(found, wanted=as_json)
    if not found:
        print_line(f"Nothing is known about {words!r}.")
    for hit in found:
        print_line(f"{hit['score']:.2f}  {_format_node(hit['node'])}")


@app.command("show")
def show_node(
    node: Node,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many edges to show.")] = 50,
    as_json: AsJson = False,
) -> None:
    """Show a node and its neighbours, each with the run and the passage that support it."""
    path = f"/v1/knowledge/nodes/{_find_node_id(node)}"
    shown: dict[str, Any] = get_json(path)
    page: dict[str, Any] = get_json(f"{path}/neighbours", limit=limit)
    exit_with_json({"node": shown, **page}, wanted=as_json)
    print_line(_format_node(shown))
    for text in (shown["text"] if shown["text"] != shown["name"] else "", shown["key"], shown["url"]):
        if text:
            print_line(f"  {format_line(text)}")
    for one in page["neighbours"]:
        edge = one["edge"]
        arrow = f"--{edge['kind']}->" if edge["start"] == shown["id"] else f"<-{edge['kind']}--"
        passage = f", passage {edge['evidence']}" if edge["evidence"] else ""
        support = f", {edge['support'].replace('_', ' ')}" if edge["kind"] in ("stated", "cites") else ""
        print_line(f"  {arrow} {_format_node(one['node'])}\n      from run {edge['run']}{passage}{support}")
    if page["next"]:
        print_line(f"  ... and more; `--limit` shows up to 200, and the API continues at the cursor {page['next']}")


@app.command("paths")
def find_paths(
    start: Node,
    end: Node,
    longest: Annotated[int, typer.Option(min=1, max=6, help="Limit in edges of a path.")] = 4,
    limit: Annotated[int, typer.Option(min=1, max=20, help="How many paths to show.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Show the shortest paths from one node to another."""
    ends = {"from": _find_node_id(start), "to": _find_node_id(end)}
    found: dict[str, Any] = get_json("/v1/knowledge/paths", **ends, longest=longest, limit=limit)
    exit_with_json(found, wanted=as_json)
    if not found["paths"]:
        sure = "" if found["complete"] else ", in the part of the graph that was searched"
        print_line(f"No path of at most {longest} edges connects the two{sure}.")
    for number, path in enumerate(found["paths"], 1):
        print_line(f"{number}. {_format_node(path['nodes'][0])}")
        for edge, node in zip(path["edges"], path["nodes"][1:], strict=True):
            arrow = f"<-{edge['kind']}--" if edge["start"] == node["id"] else f"--{edge['kind']}->"
            print_line(f"   {arrow} {_format_node(node)}  (run {edge['run']})")


@app.command("cypher")
def run_cypher(
    query: Annotated[str, argument("An openCypher query that reads.")],
    column: Annotated[list[str], option("A name for each value that RETURN gives. Repeatable.")],
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many rows to show.")] = 100,
    as_json: AsJson = False,
) -> None:
    """Run an openCypher query, where the graph is stored in Apache AGE."""
    found = post_json("/v1/knowledge/cypher", {"query": query, "columns": [*column], "limit": limit})
    exit_with_json(found, wanted=as_json)
    print_line("\t".join(found["columns"]))
    for row in found["rows"]:
        print_line("\t".join(format_line(value) for value in row))


def _search_nodes(words: str, kinds: list[str], limit: int) -> list[Any]:
    found: list[Any] = get_json("/v1/knowledge/search", q=words, limit=limit, **({"kind": kinds} if kinds else {}))
    return found


def _find_node_id(named: str) -> str:
    """The id of a node that is given by its id or by its key.

    Raises:
        BadInput: no node has this key.
    """
    from elcano.subjects.knowledge.graph import NODE_ID

    if re.fullmatch(NODE_ID, named):
        return named
    for hit in _search_nodes(named, [], 100):
        if hit["node"]["key"] in (named, named.casefold()):
            found: str = hit["node"]["id"]
            return found
    raise BadInput(f"no node has the key {format_line(named)!r}: `elcano knowledge search WORDS` lists nodes with ids")


def _format_node(node: dict[str, Any]) -> str:
    from elcano.graphs.text import shorten_text

    year = f" ({node['year']})" if node["year"] else ""
    return f"{node['kind']}: {shorten_text(format_line(node['name']), NAME_CHARACTERS)}{year}  {node['id']}"
