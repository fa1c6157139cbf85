"""`elcano graph`: list, show, create, check, draw, try and store graphs."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from elcano.cli.exit_codes import BadInput, Exit
from elcano.cli.options import AsJson, argument, option
from elcano.cli.printing import (
    OUTCOMES,
    exit_with_json,
    make_results_console,
    make_table,
    print_columns,
    print_json,
    print_line,
)
from elcano.cli.requests import delete_each, get_json, post_json

if TYPE_CHECKING:
    from rich.text import Text

    from elcano.graphs.dry_run.dry_run import Preview, PreviewStep
    from elcano.graphs.frozen import JsonObject

app = typer.Typer(no_args_is_help=True, help="List, create, check, try and store graphs.")

Graph = Annotated[str, argument("A built-in graph, a JSON file, or a stored graph as NAME or NAME@VERSION.")]
_WALK: Final = ("branch", "step", "iteration", "node", "outcome", "next")


@app.command("list")
def list_graphs(own: Annotated[bool, typer.Option("--own", help="Your own, stored in the API.")] = False) -> None:
    """List the graphs that a run can use; the built-in ones need no server."""
    from elcano.graphs.mode_choice import MODES

    if own:
        stored = [card for card in get_json("/v1/graphs") if card["version"] is not None]
        print_columns([(card["name"], f"@{card['version']}", card["description"]) for card in stored])
    else:
        print_columns([(name, graph.description) for name, graph in MODES.items()])


@app.command("show")
def show_graph(graph: Graph) -> None:
    """Print a graph as JSON."""
    from elcano.cli.graph_files import load_graph

    print_line(load_graph(graph).model_dump_json(indent=2))


@app.command("new")
def new_graph(
    name: Annotated[str, argument("The name of the new graph.")],
    like: Annotated[str, typer.Option("--like", help="The graph to start from: a built-in one or a file.")] = "simple",
) -> None:
    """Print a graph to start from; save it to a file and edit it."""
    from pydantic import ValidationError

    from elcano.cli.graph_files import NAME_FORM, dump_without_defaults, load_graph
    from elcano.graphs.mode_choice import MODES, list_aliases

    if name in (*MODES, *list_aliases()):
        raise BadInput(f"{name!r} is a built-in graph: choose another name")
    try:
        graph = load_graph(like).model_copy(update={"name": name})
    except ValidationError as error:
        raise BadInput(f"{name!r} cannot be the name of a graph: {NAME_FORM}") from error
    print_json(dump_without_defaults(graph), indent=2)


@app.command("check")
def check_graph(graph: Graph) -> None:
    """Print every fault of a graph, after its place; exit code 2 if there are any. Needs no server."""
    from elcano.cli.graph_files import format_graph_faults, load_graph
    from elcano.graphs.checks.validation import find_graph_faults

    loaded = load_graph(graph)
    faults = find_graph_faults(loaded)
    for line in format_graph_faults(faults, graph):
        print_line(line)
    if faults:
        raise BadInput(f"graph {loaded.name!r} has {len(faults)} fault(s)")
    print_line(f"graph {loaded.name!r} can run")


@app.command("draw")
def draw_graph(graph: Graph) -> None:
    """Print a graph as a Mermaid flow chart."""
    from elcano.cli.graph_files import load_graph
    from elcano.graphs.spec.drawing import render_mermaid
    from elcano.graphs.spec.limits import size_faults

    loaded = load_graph(graph)
    if too_large := size_faults(loaded):
        raise BadInput(f"graph {loaded.name!r} cannot be drawn: {'; '.join(map(str, too_large))}")
    print_line(render_mermaid(loaded).rstrip())


@app.command("try")
def try_graph(
    graph: Graph,
    question: Annotated[str, typer.Option(help="The question of the run.")] = "What is it?",
    answers: Annotated[Path | None, option("A JSON file with a list of answers for each node, one per visit.")] = None,
    as_json: AsJson = False,
) -> None:
    """Walk a graph with invented answers, or with yours. It searches and spends nothing and needs no server."""
    walk = _walk_graph(graph, question, answers)
    if as_json:
        print_json(walk.model_dump(mode="json"))
    else:
        _print_walk(walk)
    raise typer.Exit(Exit.FAILED if walk.failure else Exit.OK)


@app.command("push")
def push_graph(file: Annotated[Path, argument("A JSON file with a graph.")]) -> None:
    """Store a graph in the API, as a new version if it has one of that name; `elcano ask --mode NAME` runs it."""
    from elcano.cli.graph_files import read_json_object

    stored = post_json("/v1/graphs", read_json_object(file, "a graph"))
    print_line(f"{stored['name']}@{stored['version']} is stored: elcano ask --mode {stored['name']} QUESTION")


@app.command("delete")
def delete_graphs(names: Annotated[list[str], argument("Names of your own graphs.")]) -> None:
    """Delete your own graphs with all their versions; runs that use them continue."""
    raise typer.Exit(delete_each("/v1/graphs", names))


def _walk_graph(name: str, question: str, answers: Path | None) -> "Preview":
    """Walk a graph in this process.

    Raises:
        Failed: there is no such graph, it has faults, or the answers fit no node of it.
    """
    import asyncio

    from elcano.cli.graph_files import format_graph_faults, load_graph
    from elcano.graphs.checks.budget_limits import default_limits
    from elcano.graphs.checks.references import explain_unknown_name
    from elcano.graphs.checks.validation import find_graph_faults
    from elcano.graphs.dry_run.dry_run import preview_graph
    from elcano.graphs.run_contracts import ResearchInput

    graph = load_graph(name)
    if faults := find_graph_faults(graph):
        lines = format_graph_faults(faults, name)
        raise BadInput("\n".join([f"graph {graph.name!r} has {len(faults)} fault(s):", *lines]))
    given = {} if answers is None else _read_answers(answers)
    nodes = {node.id for each in graph.all_graphs() for node in each.nodes}
    if unknown := [text for node in given for text in explain_unknown_name("node", node, nodes)]:
        raise BadInput(f"{answers}: {'; '.join(unknown)}")
    limits = default_limits(graph)
    request = ResearchInput(
        run_id="default-try", question=question, mode=graph.name, graph=graph, limits=limits, sources=("library",)
    )
    return asyncio.run(preview_graph(request, given))


def _read_answers(file: Path) -> "dict[str, tuple[JsonObject, ...]]":
    from pydantic import TypeAdapter, ValidationError

    from elcano.graphs.frozen import JsonObject

    try:
        return TypeAdapter(dict[str, tuple[JsonObject, ...]]).validate_json(file.read_bytes())
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(map(str, fault["loc"])) or "file"
        raise BadInput(f"{file} holds no answers by node: {place}: {fault['msg']}") from error


def _print_walk(walk: "Preview") -> None:
    from rich.text import Text

    console = make_results_console()
    table = make_table(*_WALK, right=("step", "iteration"), wrap="outcome")
    for step in walk.steps:
        table.add_row(*_format_walk_step(step))
    console.print(table)
    if walk.ending is not None:
        console.print(Text(f"It ended early: {walk.ending.detail or walk.ending.kind}"), soft_wrap=True)
    if walk.failure:
        console.print(Text(f"It failed at {walk.failure}", "red"), soft_wrap=True)
    if walk.cut:
        console.print(Text("The walk was stopped: it is longer than a walk may be", "yellow"), soft_wrap=True)
    if walk.unvisited:
        console.print(Text(f"Not visited: {', '.join(walk.unvisited)}", "yellow"), soft_wrap=True)


def _format_walk_step(step: "PreviewStep") -> "tuple[Text, str, str, Text, Text, str]":
    from rich.text import Text

    calls = "" if step.calls == step.node else step.calls
    inside = "; ".join(filter(None, (calls, step.limits)))
    node = f"{step.node} ({inside})" if inside else step.node
    outcome = Text(step.outcome, OUTCOMES[step.outcome])
    if step.reason:
        outcome.append(f"  {step.reason}")
    for null in step.nulls:
        outcome.append(f"\nnull: {null}", "yellow")
    return Text(step.path, "dim"), str(step.number), str(step.iteration), Text(node), outcome, step.next


def list_modes(as_json: AsJson = False) -> None:
    """Explain the modes: what each is for, what it costs, what it needs."""
    listed = get_json("/v1/modes")
    exit_with_json(listed, wanted=as_json)
    table = make_table("mode", "cost", "usual tokens", "calls", "at most", "what for")
    for mode in listed:
        name = " = ".join([mode["name"], *mode["aliases"]]) + (" (default)" if mode["default"] else "")
        usual, most = mode["usual"], mode["limits"]["tokens"]
        figures = (f"{usual['tokens']:,}", f"{usual['calls']}", f"{most:,}")
        table.add_row(name, mode["cost_class"], *figures, mode["purpose"])
    console = make_results_console()
    console.print(table)
    for mode in listed:
        for why in mode["unavailable"]:
            console.print(f"Unavailable: {why}", soft_wrap=True, markup=False)
        for what in mode["left_out"]:
            console.print(f"{mode['name']} works without {what}", soft_wrap=True, markup=False)


def list_domains(
    name: Annotated[str, argument("Print the rubric of this domain as JSON.")] = "",
    as_json: AsJson = False,
) -> None:
    """List the fields whose standards can be used to judge evidence (`elcano ask --domain`)."""
    listed = get_json("/v1/domains")
    if name:
        found = next((one for one in listed if one["name"] == name), None)
        if found is None:
            known = ", ".join(one["name"] for one in listed)
            raise BadInput(f"there is no domain {name!r}; there are: {known}")
        print_json(found)
    elif as_json:
        print_json(listed)
    else:
        table = make_table("domain", "scores", "what for")
        for one in listed:
            table.add_row(one["name"], ", ".join(score["name"] for score in one["scores"]), one["description"])
        make_results_console().print(table)
