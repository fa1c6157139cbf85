"""Starts the run of a request: translates it into a request of `POST /v1/runs`, which is submitted as that one is."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Annotated, Any, Final, TypeAlias

from fastapi import Header
from pydantic import ValidationError

from elcano.doors.openai_api.attached_files import keep_attached_files
from elcano.doors.openai_api.conversation import Conversation
from elcano.doors.openai_api.output_items import write_text
from elcano.doors.openai_api.parameters import IGNORED, OpenAIRequest
from elcano.graphs.records import ArchivedRun
from elcano.graphs.report.report import Report
from elcano.graphs.trust import Trust
from elcano.service.errors import FieldFault, RequestInvalid, explain_invalid
from elcano.service.process import Services
from elcano.service.reports.results import load_artifact
from elcano.service.runs.repeated_requests import build_repeated_request
from elcano.service.runs.request_facts import judge_run_request
from elcano.service.runs.run_request import MAX_INSTRUCTIONS, RunRequest
from elcano.service.runs.submission import build_request_key, submit_run
from elcano.service.runs.trust_checks import explain_source_refusal

WEB: Final = "web"
"""The source that `web_search` names."""
_INSIDE: Final = Trust(egress="private")
_NAMES: Final[Mapping[str, str]] = {
    "mode": "model",
    "previous_run": "previous_response_id",
    "metadata": "metadata",
    "instructions": "instructions",
    "background": "input",
}
_SET_HERE: Final = frozenset({"question", "mode", "previous_run", "metadata", "instructions", "background"})
"""Fields of a run that the request has names of its own for."""

RetryCount: TypeAlias = Annotated[
    int, Header(alias="X-Stainless-Retry-Count", ge=0, description="How often the client has sent this before.")
]


class ModelNotFound(RequestInvalid, kind="missing", title="No such model"):
    """No mode and no graph has the name that a request gives as its model."""


async def start_run(
    request: OpenAIRequest,
    said: Conversation,
    services: Services,
    *,
    asks_in: str,
    previous_run: str | None = None,
    instructions: str = "",
    key: str | None = None,
    retry: int = 0,
    waits: bool = True,
) -> ArchivedRun:
    """The run that a request starts, or that it started before.

    Args:
        request: of either way to ask.
        said: its input.
        services: of its tenant.
        asks_in: the field that the question came in, for faults.
        previous_run: the id of the run that it follows; None: that of the last answer in its input, if it is a run's.
        instructions: of the request itself, before those of its messages.
        key: its idempotency key.
        retry: how often the client says that it has sent it before.
        waits: whether the report is the answer, and not only the news that the run has started.

    Raises:
        RequestInvalid: it asks for what a run cannot do, with all faults by its own names.
        Forbidden: it sends files, and who asks may not upload.
        UploadsFull: there is no room for them.
        ModelNotFound: there is no such mode or graph.
        Exception: as of `submit_run`.
    """
    if not said.faults:
        previous_run = previous_run or await find_followed_run(said, services)
        await fill_in_reports(said, previous_run, services)
    if faults := [*request.find_faults(), *said.faults]:
        raise RequestInvalid(faults)
    if taken := sorted(_SET_HERE.intersection(request.elcano or {})):
        why = "is said by the request itself"
        raise RequestInvalid([FieldFault(field=f"elcano.{name}", message=why) for name in taken])
    documents = await keep_attached_files(said.files, services) if said.files else []
    names = {**_NAMES, "question": asks_in, "output_schema": request.schema_field}
    with faults_by_name(names):
        asked = _build_run_request(request, said, services, previous_run, instructions, documents)
        judge = partial(judge_run_request, asked, services)
        if key is not None:
            return (await submit_run(judge, build_request_key(key, asked, "openai"), services)).run
        repeated = build_repeated_request(asked, "openai", request.end_user, services, marked=retry > 0, waits=waits)
        return await repeated.submit(judge, services)


@contextmanager
def faults_by_name(names: Mapping[str, str]) -> Iterator[None]:
    """Says of faults what the client calls the field, and of a model that is not there that it is not found."""
    try:
        yield
    except RequestInvalid as error:
        faults = [fault.model_copy(update={"field": _rename_field(fault.field, names)}) for fault in error.faults]
        if len(faults) == 1 and faults[0].field == "model":
            raise ModelNotFound(faults) from error
        raise RequestInvalid(faults) from error


def _rename_field(name: str, names: Mapping[str, str]) -> str:
    first, dot, rest = name.partition(".")
    return f"{names[first]}{dot}{rest}" if first in names else f"elcano.{name}"


def _build_run_request(
    request: OpenAIRequest,
    said: Conversation,
    services: Services,
    previous_run: str | None,
    instructions: str,
    documents: list[str],
) -> RunRequest:
    own = request.elcano or {}
    wanted = "\n\n".join(filter(None, (instructions, *said.instructions)))
    long = wanted if len(wanted) > MAX_INSTRUCTIONS else ""  # too long for a wish; the agents know it all the same
    metadata = dict(request.metadata or {})
    if untaken := request.list_untaken():
        metadata[IGNORED] = ", ".join(untaken)
    fields: dict[str, Any] = {
        **own,
        **_choose_sources(request, own, services, documents),
        "output_schema": request.output_schema or own.get("output_schema"),
        "question": said.question,
        "mode": request.model,
        "previous_run": previous_run,
        "instructions": "" if long else wanted,
        "background": "\n\n".join(filter(None, (long, said.write_transcript(previous_run)))),
        "metadata": metadata,
    }
    try:
        return RunRequest.model_validate(fields)
    except ValidationError as error:
        raise explain_invalid(error) from error


def _choose_sources(
    request: OpenAIRequest, own: Mapping[str, Any], services: Services, documents: list[str]
) -> dict[str, Any]:
    """The sources of a request that says anything of them.

    Documents that it sends are searched alone, unless it names sources or asks for the web besides. A search
    of the web is made besides what is searched anyway, and one that stays inside only of that which is inside.
    """
    web = [WEB] if request.wants_web else []
    if "sources" in own:
        named = own["sources"] if isinstance(own["sources"], list) else []
        return {"sources": [*dict.fromkeys((*named, *documents))]} if documents and named else {}
    if documents:
        return {"sources": [*documents, *web]}
    if not web and not request.stays_inside:
        return {}
    found = services.sources
    usual = [name for name in found.by_default if name not in found.missing]
    if web:
        return {"sources": [*dict.fromkeys((*(name for name in usual if name != "packages"), *web))]}
    return {
        "sources": [name for name in usual if not explain_source_refusal(_INSIDE, found.specs[name], services.settings)]
    }


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
