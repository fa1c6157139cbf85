"""The commands about graphs. They need no server: a graph is data, and the room that knows it is pure."""

import sys
from pathlib import Path

from pydantic import ValidationError

from elcano.cli.exits import Exit, Failed
from elcano.graphs.checks.validation import faults
from elcano.graphs.modes import MODES
from elcano.graphs.spec.drawing import mermaid
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.size import first_faults, size_faults


def list_graphs() -> Exit:
    """Prints the built-in graphs, one a line."""
    width = max(map(len, MODES))
    for name, graph in MODES.items():
        _print(f"{name:<{width}}  {graph.description}")
    return Exit.OK


def show(name: str) -> Exit:
    """Prints a graph as JSON, ready to be changed and used as a graph of one's own."""
    _print(load(name).model_dump_json(indent=2))
    return Exit.OK


def draw(name: str) -> Exit:
    """Prints a graph as a Mermaid flow chart; one that is too large to run is too large to draw."""
    graph = load(name)
    if too_large := size_faults(graph):
        raise Failed(f"graph {graph.name!r} cannot be drawn: {'; '.join(too_large)}", Exit.BAD_INPUT)
    _print(mermaid(graph).rstrip())
    return Exit.OK


def check(name: str) -> Exit:
    """Prints the faults of a graph."""
    graph = load(name)
    found = faults(graph)
    for fault in found:
        _print(fault)
    if found:
        raise Failed(f"graph {graph.name!r} has {len(found)} fault(s)", Exit.BAD_INPUT)
    _print(f"graph {graph.name!r} can run")
    return Exit.OK


def load(name: str) -> ResearchGraph:
    """A built-in graph by its name, or the graph in a JSON file.

    Raises:
        Failed: there is neither, or the file holds no graph.
    """
    if name in MODES:
        return MODES[name]
    path = Path(name)
    if not path.is_file():
        raise Failed(f"{name!r} is neither a graph ({', '.join(MODES)}) nor a file", Exit.BAD_INPUT)
    try:
        return ResearchGraph.model_validate_json(path.read_bytes())
    except ValidationError as error:
        places = first_faults(
            f"{'.'.join(map(str, fault['loc'])) or 'file'}: {fault['msg']}" for fault in error.errors()
        )
        raise Failed(f"{name} is not a graph: {'; '.join(places)}", Exit.BAD_INPUT) from error


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
