"""The commands about graphs. Most need no server: a graph is data, and the room that knows it is pure.

What is kept under a name is with the API: it is pushed there, and there are the names of graphs of one's own.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

from pydantic import TypeAdapter, ValidationError

from elcano.cli.client import Api
from elcano.cli.exits import Exit, Failed
from elcano.graphs.checks.graph_json_faults import form_faults
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.frozen import JsonObject
from elcano.graphs.modes import MODES, list_aliases, mode_named
from elcano.graphs.named_parts import GraphName, branches_named, with_agents, with_branches
from elcano.graphs.spec.drawing import render_mermaid
from elcano.graphs.spec.faults import Fault, trim_pointer_to_document
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.limits import size_faults
from elcano.settings import program_settings

_OBJECT: Final[TypeAdapter[JsonObject]] = TypeAdapter(JsonObject)


def list_graphs() -> Exit:
    """Prints the built-in graphs, one a line."""
    width = max(map(len, MODES))
    for name, graph in MODES.items():
        _print_line(f"{name:<{width}}  {graph.description}")
    return Exit.OK


def list_own() -> Exit:
    """Prints the graphs that the API keeps, one a line."""
    with Api(program_settings().base_url) as api:
        own = [card for card in api.get("/v1/graphs") if card["version"] is not None]
    width = max((len(card["name"]) for card in own), default=0)
    for card in own:
        _print_line(f"{card['name']:<{width}}  @{card['version']}  {card['description']}".rstrip())
    return Exit.OK


def print_new_graph(name: str, like: str) -> Exit:
    """Prints a graph under another name.

    Raises:
        Failed: the name cannot be a graph's, or is that of a built-in one.
    """
    if name in (*MODES, *list_aliases()):
        raise Failed(f"{name!r} is a built-in graph: give yours another name", Exit.BAD_INPUT)
    try:
        graph = load_graph(like).model_copy(update={"name": name})
    except ValidationError as error:
        wrong = "lower-case letters, digits and underscores, a letter first, 48 at most"
        raise Failed(f"{name!r} cannot be the name of a graph: {wrong}", Exit.BAD_INPUT) from error
    _print_line(json.dumps(_dump_without_defaults(graph), indent=2, ensure_ascii=False))
    return Exit.OK


def push_graph(file: Path) -> Exit:
    """Has the API keep the graph of a file; names of branches are for the API to know.

    Raises:
        Failed: there is no such file, it holds no JSON object, or the API refuses it.
    """
    with Api(program_settings().base_url) as api:
        kept = api.ask("/v1/graphs", _read_json_object(file))
    _print_line(f"{kept['name']}@{kept['version']} is kept: elcano ask --mode {kept['name']} QUESTION")
    return Exit.OK


def delete_graphs(names: Sequence[str]) -> Exit:
    """Deletes graphs that the API keeps; one that cannot be deleted does not keep the others."""
    code = Exit.OK
    with Api(program_settings().base_url) as api:
        for name in dict.fromkeys(names):
            try:
                api.delete(f"/v1/graphs/{quote(name, safe='@')}")
            except Failed as error:
                if error.code == Exit.NOT_REACHABLE:
                    raise
                sys.stderr.write(f"elcano: {name}: {error}\n")
                code = code or error.code
            else:
                _print_line(f"{name} is deleted")
    return code


def show_graph(name: str) -> Exit:
    """Prints a graph as JSON, ready to be changed and used as a graph of one's own."""
    _print_line(load_graph(name).model_dump_json(indent=2))
    return Exit.OK


def draw_graph(name: str) -> Exit:
    """Prints a graph as a Mermaid flow chart; one that is too large to run is too large to draw."""
    graph = load_graph(name)
    if too_large := size_faults(graph):
        raise Failed(f"graph {graph.name!r} cannot be drawn: {'; '.join(too_large)}", Exit.BAD_INPUT)
    _print_line(render_mermaid(graph).rstrip())
    return Exit.OK


def check_graph(name: str) -> Exit:
    """Prints the faults of a graph, each behind its place."""
    graph = load_graph(name)
    found = find_graph_faults(graph)
    for line in format_placed_faults(found, name):
        _print_line(line)
    if found:
        raise Failed(f"graph {graph.name!r} has {len(found)} fault(s)", Exit.BAD_INPUT)
    _print_line(f"graph {graph.name!r} can run")
    return Exit.OK


def format_placed_faults(found: Iterable[Fault], name: str) -> list[str]:
    """Faults as lines, each behind the JSON pointer of its place in the graph that was named, if it has one there."""
    path = Path(name)
    given = (
        _read_json_object(path) if name not in MODES and path.is_file() else None
    )  # else what was checked is what was sent
    if given is None:
        return [f"{fault.pointer}: {fault}" if fault.pointer else str(fault) for fault in found]
    return [
        f"{place}: {fault}" if (place := trim_pointer_to_document(given, fault.pointer)) else str(fault)
        for fault in found
    ]


def load_graph(name: str) -> ResearchGraph:
    """A built-in graph by its name, the graph in a JSON file, or one that the API keeps, by its name or `name@version`.

    Raises:
        Failed: there is none of them, or the file holds no graph.
    """
    if (mode := mode_named(name)) is not None:
        return mode
    path = Path(name)
    if not path.is_file():
        return _fetch_kept_graph(name)
    given = _read_json_object(path)
    whole = with_agents(with_branches(given, MODES), {})
    found = size_faults(whole)
    if not found:
        try:
            return ResearchGraph.model_validate(whole)
        except ValidationError as error:
            found = [_unknown_name(whole, fault) for fault in form_faults(error)]
    raise Failed("\n".join([f"{name} is not a graph:", *format_placed_faults(found, name)]), Exit.BAD_INPUT)


def _fetch_kept_graph(name: str) -> ResearchGraph:
    """A graph that was pushed.

    Raises:
        Failed: the API keeps none of this name, or cannot be asked.
    """
    nothing = f"{name!r} is neither a file nor a built-in graph ({', '.join(MODES)})"
    if GraphName.read(name) is None:
        raise Failed(nothing, Exit.BAD_INPUT)
    try:
        with Api(program_settings().base_url) as api:
            return ResearchGraph.model_validate(api.get(f"/v1/graphs/{quote(name, safe='@')}"))
    except Failed as error:
        raise Failed(f"{nothing}, and as one of your own: {error}", error.code) from error


def _dump_without_defaults(graph: ResearchGraph) -> JsonObject:
    """Return a graph as a person would write it, without default values."""
    found = graph.model_dump(mode="json", exclude_defaults=True)
    for parts in (graph.nodes, graph.edges):
        name = "nodes" if parts is graph.nodes else "edges"
        found[name] = [{"kind": one.kind, **one.model_dump(mode="json", exclude_defaults=True)} for one in parts]
    if graph.branches:
        found["branches"] = {name: _dump_without_defaults(branch) for name, branch in graph.branches.items()}
    return found


def _unknown_name(whole: JsonObject, fault: Fault) -> Fault:
    """Explain a fault of a branch given by name: only the API knows the graphs that are saved there."""
    names = branches_named(whole)
    name = names.get(fault.pointer[1:].replace("/", "."))
    if name is None:
        return fault
    message = next(iter(explain_unknown_name("built-in graph", name, MODES)))
    return Fault(f"{message}; if you have pushed it, `elcano graph push` knows it", fault.pointer)


def _read_json_object(path: Path) -> JsonObject:
    """The JSON object in a file.

    Raises:
        Failed: it holds none, or cannot be read.
    """
    try:
        return _OBJECT.validate_json(path.read_bytes())
    except (ValidationError, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else "it does not hold a JSON object"
        if isinstance(error, ValidationError) and (fault := error.errors()[0])["type"] == "json_invalid":
            why = fault["msg"]
        raise Failed(f"{path} is not a graph: {why}", Exit.BAD_INPUT) from error


def _print_line(text: str) -> None:
    sys.stdout.write(text + "\n")
