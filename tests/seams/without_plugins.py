"""What is there and what is refused without the plugins that are left out; a module of `left_out`, loaded with them."""

import asyncio
from pathlib import Path

import httpx

from elcano.activities.sources.registry import Sources, open_sources
from elcano.api.app import create_app
from elcano.dev.doctor import OF_THIS_SHELL
from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.mode_choice import MODES
from elcano.graphs.plugin import list_left_out, load_objects, load_registries
from elcano.settings.settings import Settings
from elcano.testing import ScriptedModel, ScriptedSource, run_research
from elcano.workflows.sandbox import workflow_runner

PATHS = ("/v1/databases", "/v1/tools", "/v1/knowledge", "/v1/modes", "/v1/agents", "/v1/sources")


async def research(folder: Path, mode: str, source: str) -> dict[str, object]:
    """What is there, and what a run comes to."""
    load_registries()
    workflow_runner()
    settings = Settings(_env_file=None, data_dir=folder, package_readmes=False)
    async with open_sources(settings) as sources:
        offered = Sources({name: sources.get(name) for name in sources.names}).names
    harbour = ScriptedSource("harbour", {"log": "The ship left the harbour at dawn."})
    model = ScriptedModel() if "quoting" in list_left_out() else None
    done = await run_research(
        "When did the ship leave?", folder=folder, sources=[harbour], model=model, mode="iterative"
    )
    app = create_app(settings)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as api,
    ):
        routes = {path: (await api.get(path)).status_code for path in PATHS}
        asked = {"question": "What is it?", "mode": mode, "sources": [source]}
        refused = await api.post("/v1/runs", json=asked)
    return {
        "left_out": list_left_out(),
        "modes": [*MODES],
        "faults": [name for name, graph in MODES.items() if find_graph_faults(graph)],
        "sources": offered,
        "routes": routes,
        "refused": refused.status_code,
        "told": refused.json(),
        "title": done.report.title,
    }


def check(folder: Path) -> None:
    """Everything that `elcano doctor` looks at in this shell."""
    settings = Settings(_env_file=None, data_dir=folder, package_readmes=False)
    for look in (*OF_THIS_SHELL, *load_objects("checks")):
        list(look(settings))


def run(folder: Path, mode: str, source: str) -> dict[str, object]:
    """The modes, those with faults, what a run of the mode and source is answered, what a run comes to."""
    check(folder)
    return asyncio.run(research(folder, mode, source))
