"""Extras: what each is for and how it is installed, which graphs need them, and what a worker says of them."""

import re
import tomllib
from pathlib import Path

import pytest

from elcano.activities.services import missing_extras
from elcano.graphs.builder import GraphBuilder
from elcano.graphs.checks.callees import extra_faults, required_extras, useful_extras
from elcano.graphs.extras import EXTRAS, install_command, lacking_extras, worker_identity
from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.graph import ResearchGraph

ROOT = Path(__file__).parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def computing(*, caught: bool) -> ResearchGraph:
    builder = (
        GraphBuilder("computing", "Computes, then writes.")
        .add_tool_node("sums", tool="analyze", description="Sums", inputs={"question": "question"})
        .add_agent_node("writer", agent="writer", description="The report", inputs={"question": "question"})
        .connect_nodes("sums", "writer")
    )
    if caught:
        builder.on_error("sums", "writer", label="there are no sums")
    return builder.set_entry_node("sums").set_exit_nodes("writer").build()


def test_they_are_those_of_the_distribution() -> None:
    assert set(EXTRAS) == set(PROJECT["optional-dependencies"]) - {"dev"}
    assert "`make setup`" in install_command("analysis")


def test_no_text_advises_to_install_a_name_from_the_public_index() -> None:
    """`elcano` is another project there, and `elcano-research` is free: who registers it would be run by the advice."""
    folders = [
        "activities",
        "api",
        "cli",
        "dev",
        "docs",
        "doors",
        "graphs",
        "operations",
        "service",
        "settings",
        "storage",
        "subjects",
        "testing",
        "text",
    ]
    files = [file for folder in folders for kind in ("*.py", "*.md") for file in (ROOT / folder).rglob(kind)]
    files += [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "worker.py", "pyproject.toml")]
    wrong = re.compile(r"\belcano\[|pip install [\"']?elcano")
    assert [file for file in files if wrong.search(file.read_text(encoding="utf-8"))] == []


def test_what_this_project_is_worked_on_with_lacks_nothing() -> None:
    assert missing_extras() == frozenset()


@pytest.mark.parametrize(
    ("mode", "required", "useful"),
    [
        ("iterative", set(), set()),
        ("analysis", {"analysis"}, set()),
        ("data", set(), {"forecast", "mcp", "plots"}),
    ],
)
@pytest.mark.of_plugins("data", "analysis", "mcp")
def test_modes_need_what_they_cannot_do_without(mode: str, required: set[str], useful: set[str]) -> None:
    assert required_extras(MODES[mode]) == required
    assert useful_extras(MODES[mode]) == useful


@pytest.mark.of_plugins("analysis")
def test_a_graph_that_repairs_the_failure_goes_on_without() -> None:
    assert required_extras(computing(caught=False)) == {"analysis"}
    assert useful_extras(computing(caught=True)) == {"analysis"}
    assert extra_faults("'computing'", computing(caught=True), {"analysis"}) == []
    (fault,) = extra_faults("'computing'", computing(caught=False), {"analysis", "mcp"})
    assert install_command("analysis") in fault


@pytest.mark.parametrize("lacking", [set(), {"mcp"}, {"analysis", "forecast"}])
def test_a_worker_says_what_it_lacks_in_its_identity(lacking: set[str]) -> None:
    said = worker_identity("4711@worker-1", lacking)
    assert said.startswith("4711@worker-1")
    assert lacking_extras(said) == lacking


@pytest.mark.parametrize("identity", ["", "4711@worker-1", "a worker without fear", "1@a without mcp, forecast"])
def test_other_identities_say_nothing(identity: str) -> None:
    assert lacking_extras(identity) == frozenset()
