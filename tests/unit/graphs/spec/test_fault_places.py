"""Each fault of a graph has its place in the JSON that was sent, whatever is wrong with it."""

import json
import random
from collections.abc import Iterable
from typing import Any

import pytest
from pydantic import ValidationError

from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.errors import Fault, trim_pointer_to_document
from elcano.graphs.graph_json import form_faults, format_dotted_path
from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.limits import size_faults

Graph = dict[str, Any]


def found(document: Any) -> list[Fault]:
    """All faults of what should be a graph."""
    if too_large := size_faults(document):
        return too_large
    try:
        return find_graph_faults(ResearchGraph.model_validate(document))
    except ValidationError as error:
        return form_faults(error)


def at(document: Any, pointer: str) -> Any:
    """What a pointer leads to; an error if that is nothing."""
    here = document
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        here = here[int(name)] if isinstance(here, list) else here[name]
    return here


def changed(*path: str | int, to: Any) -> Graph:
    graph: Graph = json.loads(MODES["deep"].model_dump_json())
    *inwards, last = path
    part: Any = graph
    for name in inwards:
        part = part[name]
    part[last] = to
    return graph


@pytest.mark.parametrize(
    ("graph", "place", "said"),
    [
        (changed("nodes", 0, "tool", to="serch"), "/nodes/0/tool", "did you mean 'search'?"),
        (changed("nodes", 1, "agent", to="planer"), "/nodes/1/agent", "did you mean 'planner'?"),
        (changed("nodes", 1, "inputs", "question", to="qestion"), "/nodes/1/inputs/question", "'question'?"),
        (changed("nodes", 2, "kind", to="stat"), "/nodes/2", "did you mean 'state'?"),
        (changed("nodes", 1, "agnet", to="x"), "/nodes/1/agnet", "did you mean 'agent'?"),
        (changed("nodes", 1, "limits", to={"timeout": 3}), "/nodes/1/limits/timeout", "'timeout_seconds'?"),
        (changed("nodes", 1, "limits", to={"tokens": 10}), "/nodes/1/limits/tokens", "less than one call"),
        (changed("nodes", 1, "limits", to={"model": "opnai:x"}), "/nodes/1/limits/model", "did you mean `openai`?"),
        (changed("nodes", 0, "limits", to={"model": "offline"}), "/nodes/0/limits/model", "not permitted"),
        (changed("nodes", 0, "limits", to={"attempts": 0}), "/nodes/0/limits/attempts", "greater than or equal to 1"),
        (changed("nodes", 0, "limits", to={"timeout_seconds": 1e9}), "/nodes/0/limits/timeout_seconds", "7200"),
        (changed("edges", 2, "to_node", to="store_pln"), "/edges/2/to_node", "did you mean 'store_plan'?"),
        (changed("entry_node", to="srvey"), "/entry_node", "did you mean 'survey'?"),
        (changed("exit_nodes", 0, to="synthesiser"), "/exit_nodes/0", "did you mean 'synthesizer'?"),
        (changed("branches", "loop", "nodes", 1, "agent", to="thinkng"), "/branches/loop/nodes/1/agent", "'thinking'?"),
        (changed("branches", "loop", "result", to={"a": "evidnce"}), "/branches/loop/result/a", "'evidence'?"),
        (changed("branches", "loop", "nodes", 3, "id", to="BAD ID"), "/branches/loop/nodes/3/id", "small letters"),
        (changed("descripton", to="x"), "/descripton", "did you mean 'description'?"),
        (changed("branches", "loop", "nods", to=[]), "/branches/loop/nods", "did you mean 'nodes'?"),
        (
            changed("agents", to={"a": {"name": "a", "instrutions": "x", "input": {}, "output": {}}}),
            "/agents/a/instrutions",
            "did you mean 'instructions'?",
        ),
        (changed("nodes", 3, "must_succeed", to=500), "/nodes/3/must_succeed", "at most 200 can run"),
    ],
)
def test_a_fault_says_where_it_is_and_what_was_probably_meant(graph: Graph, place: str, said: str) -> None:
    told = {fault.pointer: fault for fault in found(graph)}
    assert place in told, told
    assert said in told[place]
    at(graph, place)


def test_names_of_parts_are_escaped_as_pointers_are() -> None:
    graph = changed("nodes", 1, "inputs", "a/b~c", to="question")
    (fault,) = found(graph)
    assert fault.pointer == "/nodes/1/inputs/a~1b~0c"
    assert at(graph, fault.pointer) == "question"
    assert format_dotted_path(fault) == "nodes.1.inputs.a/b~c"


def test_what_is_missing_has_the_place_of_what_it_is_missing_in() -> None:
    graph = changed("nodes", 1, "inputs", to={})
    del graph["entry_node"], graph["nodes"][2]["reducer"]
    places = [trim_pointer_to_document(graph, fault.pointer) for fault in found(graph)]
    assert sorted(places) == ["", "/nodes/2"]


VALUES: list[Any] = [
    *(None, "", "x", "ä" * 60, "nowhere", 0, -1, 10**30, 1.5, True, [], {}, [[]], {"a": {}}, ["thinking"]),
    *("question[", "outputs.nothing.here", "`[1, 2", "a" * 600, "\x00", "/~", {"kind": "agent"}, "iterative"),
]


def places_of(document: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside: Iterable[tuple[Any, Any]] = document.items() if isinstance(document, dict) else enumerate(document)
    found: list[tuple[Any, ...]] = []
    for name, part in inside:
        found.append((*path, name))
        if isinstance(part, dict | list):
            found += places_of(part, (*path, name))
    return found


def mutated(chance: random.Random) -> Graph:
    """A graph of a mode with up to three parts replaced, removed, doubled, moved or called by another name."""
    graph: Any = json.loads(MODES[chance.choice(sorted(MODES))].model_dump_json())
    for _ in range(chance.randint(1, 3)):
        *inwards, last = chance.choice(places_of(graph))
        part: Any = graph
        for name in inwards:
            part = part[name]
        match chance.randrange(5):
            case 0:
                part[last] = chance.choice(VALUES)
            case 1:
                del part[last]
            case 2 if isinstance(part, list):
                part.append(part[last])
            case 3 if isinstance(part, dict):
                part[f"{last}s" if chance.random() < 0.5 else str(last)[:-1]] = part.pop(last)
            case _:
                part[last] = chance.choice(list(part.values()) if isinstance(part, dict) else part)
        if not graph:
            break
    return dict(graph)


def test_a_mutated_graph_is_valid_or_its_faults_have_places_that_are_there(subtests: pytest.Subtests) -> None:
    valid = 0
    for seed in range(200):
        with subtests.test(seed=seed):
            graph = mutated(random.Random(seed))
            told = found(graph)
            for fault in told:
                assert fault.strip()
                at(graph, trim_pointer_to_document(graph, fault.pointer))
            if not told:
                valid += 1
                assert find_graph_faults(ResearchGraph.model_validate(graph)) == []
    assert 10 <= valid <= 150, "else it would have seen one kind of graph alone"
