"""`python -m tests.seams.left_out FOLDER`: what is there and what is refused without the plugins that are left out.

Prints it as JSON: the modes, those with faults, what a run of each mode and source is answered, what a run comes to.
"""

import asyncio
import gc
import json
import sys
import time
from pathlib import Path

import httpx

from elcano.activities.sources.registry import Sources, open_sources
from elcano.api.app import create_app
from elcano.dev.doctor import OF_THIS_SHELL
from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.modes import MODES
from elcano.graphs.registry import list_left_out, load_objects, load_registries
from elcano.settings.settings import Settings
from elcano.testing import ScriptedModel, ScriptedSource, run_research
from elcano.workflows.sandbox import workflow_runner

PATHS = ("/v1/databases", "/v1/tools", "/v1/knowledge", "/v1/modes", "/v1/agents", "/v1/sources")


async def main(folder: Path) -> dict[str, object]:
    load_registries()
    workflow_runner()
    settings = Settings(_env_file=None, data_dir=folder, package_readmes=False)
    async with open_sources(settings) as sources:
        offered = Sources({name: sources.get(name) for name in sources.names}).names
    source = ScriptedSource("harbour", {"log": "The ship left the harbour at dawn."})
    model = ScriptedModel() if "quoting" in list_left_out() else None
    done = await run_research(
        "When did the ship leave?", folder=folder, sources=[source], model=model, mode="iterative"
    )
    app = create_app(settings)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as api,
    ):
        routes = {path: (await api.get(path)).status_code for path in PATHS}
        asked = {"question": "What is it?", "mode": sys.argv[2], "sources": [sys.argv[3]]}
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


if __name__ == "__main__":
    check(Path(sys.argv[1]))
    said = asyncio.run(main(Path(sys.argv[1])))
    print(json.dumps(said))  # noqa: T201
    gc.collect()
    time.sleep(0.3)  # the SDK's runtime can abort an interpreter that exits right after it
