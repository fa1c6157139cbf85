"""`elcano graph try`: the way that a graph goes, as a table. The engine walks it here; no server is asked."""

import asyncio
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError
from rich.table import Table
from rich.text import Text

from elcano.cli import graphs
from elcano.cli.exits import Exit, Failed
from elcano.cli.printing import OUTCOMES, make_results_console, print_json
from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.frozen import JsonObject
from elcano.graphs.preview.preview import Preview, PreviewStep, preview_graph
from elcano.graphs.run_contracts import ResearchInput

_ANSWERS: Final[TypeAdapter[dict[str, tuple[JsonObject, ...]]]] = TypeAdapter(dict[str, tuple[JsonObject, ...]])
_COLUMNS: Final = ("branch", "step", "turn", "node", "outcome", "next")


def print_graph_walk(name: str, question: str, answers: Path | None, *, as_json: bool) -> Exit:
    """Prints the walk; the exit code is 1 if a node failed for good.

    Raises:
        Failed: there is no such graph, it has faults, or the answers are none.
    """
    graph = graphs.load_graph(name)
    if found := find_graph_faults(graph):
        told = graphs.format_placed_faults(found, name)
        raise Failed("\n".join([f"graph {graph.name!r} has {len(found)} fault(s):", *told]), Exit.BAD_INPUT)
    given = {} if answers is None else _read_answers_file(answers)
    nodes = {node.id for each in graph.all_graphs() for node in each.nodes}
    if strange := [text for node in given for text in explain_unknown_name("node", node, nodes)]:
        raise Failed(f"{answers}: {'; '.join(strange)}", Exit.BAD_INPUT)
    asked = ResearchInput(
        run_id="default-try",
        question=question,
        mode=graph.name,
        graph=graph,
        limits=default_limits(graph),
        sources=("library",),
    )
    walked = asyncio.run(preview_graph(asked, given))
    if as_json:
        print_json(walked.model_dump(mode="json"))
    else:
        _print_walk(walked)
    return Exit.FAILED if walked.failure else Exit.OK


def _read_answers_file(file: Path) -> dict[str, tuple[JsonObject, ...]]:
    try:
        return _ANSWERS.validate_json(file.read_bytes())
    except OSError as error:
        raise Failed(f"{file} cannot be read: {error.strerror}", Exit.BAD_INPUT) from error
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(map(str, fault["loc"])) or "file"
        raise Failed(f"{file} holds no answers by node: {place}: {fault['msg']}", Exit.BAD_INPUT) from error


def _print_walk(walked: Preview) -> None:
    console = make_results_console()
    table = Table(box=None, pad_edge=False)
    for column in _COLUMNS:
        table.add_column(column, justify="right" if column in ("step", "turn") else "left")
    for step in walked.steps:
        table.add_row(*_format_walk_cells(step))
    console.print(table)
    if walked.ending is not None:
        console.print(Text(f"It ended early: {walked.ending.detail or walked.ending.kind}"), soft_wrap=True)
    if walked.failure:
        console.print(Text(f"It failed at {walked.failure}", "red"), soft_wrap=True)
    if walked.cut:
        console.print(Text("It is longer than a walk may be, and was broken off", "yellow"), soft_wrap=True)
    if walked.unvisited:
        console.print(Text(f"Not visited: {', '.join(walked.unvisited)}", "yellow"), soft_wrap=True)


def _format_walk_cells(step: PreviewStep) -> tuple[Text, str, str, Text, Text, str]:
    calls = "" if step.calls == step.node else step.calls
    inside = "; ".join(filter(None, (calls, step.limits)))
    node = f"{step.node} ({inside})" if inside else step.node
    outcome = Text(step.outcome, OUTCOMES[step.outcome])
    if step.reason:
        outcome.append(f"  {step.reason}")
    for null in step.nulls:
        outcome.append(f"\nnull: {null}", "yellow")
    return Text(step.path, "dim"), str(step.number), str(step.iteration), Text(node), outcome, step.next
