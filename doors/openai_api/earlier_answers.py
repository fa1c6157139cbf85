"""Earlier answers of ours in a conversation: the run that a question follows, and reports that only an id names."""

import asyncio

from elcano.doors.openai_api.conversation import Conversation
from elcano.doors.openai_api.output_items import write_text
from elcano.graphs.report.report import Report
from elcano.service.errors import FieldFault
from elcano.service.process import Services
from elcano.service.reports.results import load_artifact


async def find_followed_run(said: Conversation, services: Services) -> str | None:
    """The run of the last answer, if it can be followed; else agents get the conversation as background."""
    named = said.named_run
    run = await services.store.runs.get(named) if named else None
    return named if run is not None and run.status != "running" and run.branch_of is None else None


async def fill_in_reports(said: Conversation, known_run: str | None, services: Services) -> None:
    """Fill in the answers that a conversation only names (`item_reference`), and note those that are not there.

    Args:
        said: the conversation, whose turns and faults this changes.
        known_run: the run that is followed, whose report needs no words.
        services: of the tenant, whose runs alone can be named.
    """
    for turn in said.list_background(known_run):
        if not turn.place:
            continue
        run = await services.store.runs.get(turn.run)
        if run is None:
            message = f"the run {turn.run!r} is not here (any more): send the message itself"
            said.faults.append(FieldFault(field=turn.place, message=message))
        elif run.report is not None:
            stored = await load_artifact(run.report.artifact, services.store)
            turn.text = write_text(await asyncio.to_thread(Report.model_validate_json, stored))
