"""`elcano graph`: looking at graphs and checking them, without a server."""

from pathlib import Path

import pytest

from elcano.cli.exits import Exit
from elcano.graphs.modes.iterative import ITERATIVE
from tests.unit.cli.scripted import run


def test_graphs_are_shown_checked_and_drawn_without_a_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("graph", "list") == Exit.OK
    assert "iterative" in capsys.readouterr().out
    assert run("graph", "show", "iterative") == Exit.OK
    saved = tmp_path / "mine.json"
    saved.write_text(capsys.readouterr().out)
    assert run("graph", "check", str(saved)) == Exit.OK
    assert run("graph", "draw", str(saved)) == Exit.OK
    assert "flowchart TD" in capsys.readouterr().out


def test_every_fault_of_a_graph_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = ITERATIVE.model_copy(update={"entry_node": "nowhere", "exit_nodes": ("nobody",)})
    file = tmp_path / "broken.json"
    file.write_text(broken.model_dump_json())
    assert run("graph", "check", str(file)) == Exit.BAD_INPUT
    shown = capsys.readouterr().out
    assert "'nowhere'" in shown
    assert "'nobody'" in shown


@pytest.mark.parametrize(("content", "said"), [(None, "neither a graph"), ("{", "is not a graph"), ("{}", "nodes: ")])
def test_what_is_no_graph_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None, said: str
) -> None:
    file = tmp_path / "graph.json"
    if content is not None:
        file.write_text(content)
    assert run("graph", "check", str(file)) == Exit.BAD_INPUT
    assert said in capsys.readouterr().err


def test_a_graph_that_is_too_large_is_neither_checked_nor_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nodes = tuple(ITERATIVE.nodes[0].model_copy(update={"id": f"n{number}"}) for number in range(300))
    file = tmp_path / "large.json"
    file.write_text(ITERATIVE.model_copy(update={"nodes": nodes}).model_dump_json())
    for command in ("check", "draw"):
        assert run("graph", command, str(file)) == Exit.BAD_INPUT
        shown = capsys.readouterr()
        assert "300 nodes are more than 200" in shown.out + shown.err
