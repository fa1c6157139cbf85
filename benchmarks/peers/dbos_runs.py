"""DBOS in the environment of the peers: the URL of its database."""

import uuid
from typing import Any

from dbos import DBOS, SetWorkflowID

from benchmarks.peers.work import AUTHOR, take_turns


async def write_text(before: str) -> str:
    """The next text."""
    return AUTHOR.write(before)


write: Any = DBOS.step()(write_text)


async def chain(steps: int) -> None:
    """So many steps in a row."""
    text = ""
    for _ in range(steps):
        text = await write(text)


chained: Any = DBOS.workflow()(chain)


async def run(steps: int) -> str:
    """One workflow, to its end."""
    run_id = str(uuid.uuid4())
    with SetWorkflowID(run_id):
        await chained(steps)
    return run_id


async def main(url: str) -> None:
    """Works until nothing more is asked."""
    DBOS(config={"name": "peers", "system_database_url": url, "log_level": "ERROR"})
    DBOS.launch()
    try:
        await take_turns(run)
    finally:
        DBOS.destroy()
