"""Load graphs and agents for commands: from JSON files, from the built-in ones, or from the API.

Reading and checking needs no server: a graph is data, and the package that knows it is pure.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final
from urllib.parse import quote

from pydantic import TypeAdapter, ValidationError

from elcano.cli.exit_codes import BadInput, Failed
from elcano.cli.requests import get_json
from elcano.graphs.checks.callees import parse_own_agent
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.errors import Fault, trim_pointer_to_document
from elcano.graphs.frozen import JsonObject
from elcano.graphs.graph_json import branches_named, form_faults, with_agents, with_branches
from elcano.graphs.mode_choice import MODES, mode_named
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.limits import size_faults
from elcano.graphs.spec.own_agent import VersionedName

NAME_FORM: Final = "use lower-case letters, digits and underscores, a letter first, at most 48"
_OBJECT: Final[TypeAdapter[JsonObject]] = TypeAdapter(JsonObject)


def read_json_object(path: Path, what: str) -> JsonObject:
    """Read the JSON object in a file, which should be `what`: an agent, a graph.

    Raises:
        BadInput: it holds none, or cannot be read.
    """
    try:
        return _OBJECT.validate_json(path.read_bytes())
    except OSError as error:
        raise BadInput(f"{path} is not {what}: {error.strerror}") from error
    except ValidationError as error:
        fault = error.errors()[0]
        why = fault["msg"] if fault["type"] == "json_invalid" else "it does not hold a JSON object"
        raise BadInput(f"{path} is not {what}: {why}") from error


def load_graph(name: str) -> ResearchGraph:
    """Load a built-in graph by name, the graph in a JSON file, or one stored in the API, by name or `name@version`.

    Raises:
        Failed: there is none of them, or the file holds no graph.
    """
    if (mode := mode_named(name)) is not None:
        return mode
    path = Path(name)
    if not path.is_file():
        return _fetch_graph(name)
    whole = with_agents(with_branches(read_json_object(path, "a graph"), MODES), {})
    found = size_faults(whole)
    if not found:
        try:
            return ResearchGraph.model_validate(whole)
        except ValidationError as error:
            found = [_explain_unknown_branch(whole, fault) for fault in form_faults(error)]
    raise BadInput("\n".join([f"{name} is not a graph:", *format_graph_faults(found, name)]))


def format_graph_faults(faults: Iterable[Fault], name: str) -> list[str]:
    """Format faults as lines, each after the JSON pointer of its place in the named graph, if it has one there."""
    path = Path(name)
    if name in MODES or not path.is_file():  # what was checked is what was sent
        return [f"{fault.pointer}: {fault}" if fault.pointer else str(fault) for fault in faults]
    given = read_json_object(path, "a graph")
    places = ((trim_pointer_to_document(given, fault.pointer), fault) for fault in faults)
    return [f"{place}: {fault}" if place else str(fault) for place, fault in places]


def dump_without_defaults(graph: ResearchGraph) -> JsonObject:
    """Dump a graph as a person would write it, without default values."""
    found = graph.model_dump(mode="json", exclude_defaults=True)
    for parts in (graph.nodes, graph.edges):
        name = "nodes" if parts is graph.nodes else "edges"
        found[name] = [{"kind": one.kind, **one.model_dump(mode="json", exclude_defaults=True)} for one in parts]
    if graph.branches:
        found["branches"] = {name: dump_without_defaults(branch) for name, branch in graph.branches.items()}
    return found


def list_agent_faults(given: JsonObject) -> list[str]:
    """Every fault of an agent, each after its place as a JSON pointer."""
    return [f"{fault.pointer or '/'}: {fault}" for fault in parse_own_agent(given)[1]]


def _fetch_graph(name: str) -> ResearchGraph:
    """A graph that is stored in the API.

    Raises:
        Failed: there is none of this name, or the API cannot be asked.
    """
    nothing = f"{name!r} is neither a file nor a built-in graph ({', '.join(MODES)})"
    if VersionedName.parse(name) is None:
        raise BadInput(nothing)
    try:
        return ResearchGraph.model_validate(get_json(f"/v1/graphs/{quote(name, safe='@')}"))
    except Failed as error:
        raise Failed(f"{nothing}, and no stored graph was found: {error}", error.code) from error


def _explain_unknown_branch(whole: JsonObject, fault: Fault) -> Fault:
    """Explain a fault of a branch given by name: only the API knows the graphs that are stored there."""
    name = branches_named(whole).get(fault.pointer[1:].replace("/", "."))
    if name is None:
        return fault
    message = next(iter(explain_unknown_name("built-in graph", name, MODES)))
    return Fault(f"{message}; if it is one that you have pushed, check with `elcano graph push`", fault.pointer)
