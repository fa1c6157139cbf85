"""`python -m tests.seams.plugin_tour FOLDER`: uses everything that the example plugin adds, where it is installed.

Prints what came of each, as JSON.
"""

import asyncio
import gc
import json
import sys
import time
from pathlib import Path

import httpx

from elcano.activities.sources.registry import open_sources
from elcano.api.app import create_app
from elcano.graphs.mode_choice import auto_graph
from elcano.graphs.plugin import list_plugins, load_objects
from elcano.settings.plugins import list_variables
from elcano.settings.settings import Settings, unknown_variables
from elcano.testing import run_research


async def main(folder: Path) -> dict[str, object]:
    settings = Settings(_env_file=None, data_dir=folder, package_readmes=False)
    async with open_sources(settings) as sources:
        done = await run_research(
            "When is the tide high in Getaria?", folder=folder, sources=[sources.get("tides")], mode="tides"
        )
    app = create_app(settings)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as api,
    ):
        tide = (await api.get("/v1/tides/Getaria")).json()
        modes = {mode["name"]: mode for mode in (await api.get("/v1/modes")).json()}
        agents = [agent["name"] for agent in (await api.get("/v1/agents")).json()]
        refused = (await api.get("/v1/tides/Getaria?mon=1")).status_code
    return {
        "plugins": [plugin.name for plugin in list_plugins()],
        "advice": done.journal.run.state.values["advice"],
        "answer": done.report.markdown,
        "answered": done.report.answered,
        "verified": len(done.report.citations) - len(done.report.unverified),
        "route": tide,
        "refused": refused,
        "needs_model": modes["tides"]["needs_model"],
        "chosen_by_auto": "tides" in modes["auto"]["ways"] and "tides_pilot" in auto_graph().by_id,
        "agent": "pilot" in agents,
        "unknown": unknown_variables(list_variables(load_objects("settings"))),
    }


if __name__ == "__main__":
    said = asyncio.run(main(Path(sys.argv[1])))
    print(json.dumps(said))  # noqa: T201
    gc.collect()
    time.sleep(0.3)  # the SDK's runtime can abort an interpreter that exits right after it
