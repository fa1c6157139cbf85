"""What the README shows works: its graphs are valid, its commands exist, its requests are accepted, its links lead."""

import json
import re
import shlex
from pathlib import Path

from typer.main import get_command

from elcano.api.graphs import DryRunRequest
from elcano.cli.app import app
from elcano.graphs.checks.callees import every_fault
from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.graph_json import StoredAgent, with_agents
from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.spec.own_agent import OwnAgent
from elcano.service.runs.run_request import RunRequest

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text()
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "benchmarks/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]


_HERE = re.compile(r"(cat > \S+) <<'END'\n(.*?)^END$", re.DOTALL | re.MULTILINE)
AGENTS = (ROOT / "docs" / "agents.md").read_text()
HERE_DOCUMENTS = [text for _, text in _HERE.findall(AGENTS)]


def blocks(language: str, text: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def curls() -> list[list[str]]:
    """The commands that send a body that stands in them."""
    return [words for words in commands() if "-d" in words and not words[words.index("-d") + 1].startswith("@")]


def commands() -> list[list[str]]:
    """Every command of the shell blocks as words, without variables and comments."""
    text = _HERE.sub(r"\1", "\n".join((*blocks("sh"), *blocks("sh", AGENTS)))).replace("\\\n", " ")
    lines = re.sub(r"'[^']*'", lambda quoted: " ".join(quoted[0].split()), text).splitlines()
    parsed = [shlex.split(line, comments=True) for line in lines]
    return [[word for word in words if not re.match(r"[A-Z_]+=", word)] for words in parsed if words]


def test_graphs_can_run() -> None:
    shown = blocks("json", (ROOT / "docs" / "graphs.md").read_text())
    graphs = [ResearchGraph.model_validate_json(block) for block in shown]
    assert len(graphs) == 3
    assert [find_graph_faults(graph) for graph in graphs] == [[]] * len(graphs)


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    used = {words[1] for words in commands() if words[:1] == ["make"]}
    assert used
    assert used <= targets


def test_elcano_commands_exist() -> None:
    known = set(get_command(app).commands)  # type: ignore[attr-defined]
    shown = {words[1] for words in commands() if words[:1] == ["elcano"]}
    mentioned = set(re.findall(r"`elcano ([a-z-]+)", README))
    assert shown
    assert shown | mentioned <= known


def test_requests_are_accepted() -> None:
    sent = [(next(word for word in words if "/v1/" in word), words[words.index("-d") + 1]) for words in curls()]
    bodies = [body for path, body in sent if path.endswith("/v1/runs")]
    assert bodies
    for body in bodies:
        assert RunRequest.model_validate_json(body).question
    (walk,) = [body for path, body in sent if path.endswith("/dry-run")]
    assert DryRunRequest.model_validate_json(walk)


def test_the_agent_and_the_graph_that_calls_it_can_run() -> None:
    (made,) = [words[words.index("-d") + 1] for words in curls() if any(one.endswith("/v1/agents") for one in words)]
    agent = OwnAgent.model_validate_json(made)
    assert every_fault(agent) == []
    (graph,) = HERE_DOCUMENTS
    whole = with_agents(json.loads(graph), {agent.name: StoredAgent(f"{agent.name}@1", agent)})
    assert find_graph_faults(ResearchGraph.model_validate(whole)) == []
    (shown,) = blocks("json agent", AGENTS)
    assert every_fault(OwnAgent.model_validate_json(shown)) == []


def test_modes_are_the_modes() -> None:
    section = (ROOT / "docs" / "runs.md").read_text().split("\n## Modes\n")[1].split("\n## ")[0]
    listed = set(re.findall(r"^\| `([a-z_]+)` \|", section, re.MULTILINE))
    assert listed == set(MODES), "the table under “Modes” in docs/runs.md needs one row for each mode"


def test_links_lead_somewhere() -> None:
    links = [(page, target) for page in PAGES for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text())]
    inside = [(page, target) for page, target in links if not target.startswith("http")]
    assert len(inside) > len(PAGES)
    assert [(str(page), target) for page, target in inside if not (page.parent / target).exists()] == []


def test_python_blocks_compile() -> None:
    found = blocks("python", (ROOT / "CONTRIBUTING.md").read_text())
    assert found
    for block in found:
        compile("async def shown(self):\n" + re.sub("^", "    ", block, flags=re.MULTILINE), "CONTRIBUTING.md", "exec")
