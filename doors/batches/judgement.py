"""The request for a batch: its questions, filled in and judged, and what they may use together.

A question of a request is an object, or a row of a table for the question that all share; what it leaves out it has
from `defaults`. It comes to a body of `POST /v1/runs`. The size of what comes of a template is computed before it is
filled in.
"""

import json
import re
import time
from collections.abc import Mapping
from typing import Annotated, Any, Final, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from elcano.doors.batches.batch_tables import ROUND, BatchQuestion
from elcano.doors.batches.contracts import METADATA
from elcano.graphs.errors import GraphInvalid
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.budget import MOST_COST, usd_from_microusd
from elcano.graphs.tenants import run_id as new_run_id
from elcano.service.errors import FieldFault, RequestInvalid, field_faults, list_request_faults
from elcano.service.fields import Request, Text
from elcano.service.process import Services
from elcano.service.runs.request_facts import judge_run_request
from elcano.service.runs.run_request import MAX_QUESTION, RunRequest

MOST_QUESTIONS: Final = ROUND
MOST_CHARACTERS: Final = 50_000_000
"""Maximum size of `defaults`, which is validated and stored with each question: a small request must not take
gigabytes."""
JUDGED_SECONDS: Final = 20.0
"""Time limit for validating a request: gateways wait for a minute. The rest is validated before it starts anyway."""
_Name: TypeAlias = Annotated[Text, Field(max_length=200)]
_Cell: TypeAlias = Annotated[Text, Field(max_length=10_000)]
_ROW: Final = TypeAdapter(Annotated[dict[_Name, _Cell], Field(max_length=50)], config=ConfigDict(strict=True))
_PLACE: Final = re.compile(r"\{([^{}]+)\}")
_OWN: Final = frozenset({"question", "background", "instructions", "metadata"})
"""The fields that are judged by themselves, whatever the others are."""


class BatchBudget(Request):
    """Limits shared by all runs of a batch."""

    tokens: int | None = Field(default=None, ge=1_000, le=100_000_000_000, examples=[2_000_000])
    """Input and output tokens; left out: not limited."""
    cost_usd: float | None = Field(default=None, gt=0, le=1_000_000, allow_inf_nan=False, examples=[20.0])
    """US dollars; left out: not limited."""
    seconds: float | None = Field(default=None, ge=60, le=366 * 86_400, allow_inf_nan=False, examples=[86_400.0])
    """Seconds from now to the end of the last run; left out: not limited."""


class BatchRequest(Request):
    """The batch to start."""

    questions: list[dict[str, Any]] = Field(
        min_length=1, max_length=MOST_QUESTIONS, examples=[[{"question": "What is new on retries?"}]]
    )
    """The questions, each with the fields of `POST /v1/runs`; what one leaves out it has from `defaults`. In place of a
    `question`, `row` has texts by the names of columns: they fill in the question of `defaults`, and come back with the
    results."""
    defaults: dict[str, Any] = Field(default={}, examples=[{"mode": "iterative"}])
    """Fields of `POST /v1/runs` for all questions that do not have them. In its `question`, `{company}` represents the
    column `company` of a `row`."""
    budget: BatchBudget = BatchBudget()
    """Budget shared by all runs. Each also has its own limits."""
    at_once: int = Field(default=8, ge=1, le=50, examples=[8])
    """Maximum number of concurrent runs."""
    skip_invalid: bool = Field(default=False, examples=[True])
    """True: questions that cannot work are reported in the results, and the others run. False: one of them refuses
    all."""
    name: Text = Field(default="", max_length=200, examples=["Competitors"])
    """Name in lists."""


async def judge_batch(request: BatchRequest, batch_id: str, services: Services) -> list[BatchQuestion]:
    """The questions of a batch, each as it is kept; those with faults are `skipped`.

    Raises:
        RequestInvalid: with all faults of all questions, if they may not be skipped, or all have some.
        TemporalUnavailable: it could be started if Temporal answered.
    """
    shared = len(json.dumps(request.defaults)) * len(request.questions)
    if shared > MOST_CHARACTERS:
        excess = f"have {shared:,} characters as JSON for all questions together, and {MOST_CHARACTERS:,} are the most"
        message = f"{excess}: send fewer questions at a time, or store the graph under a name and give that"
        raise RequestInvalid([FieldFault(field="defaults", message=message)])
    faults: list[FieldFault] = []
    kept: list[BatchQuestion] = []
    judged: dict[str, tuple[FieldFault, ...]] = {}
    until = time.monotonic() + JUDGED_SECONDS
    for number, given in enumerate(request.questions):
        body, cells, own = _merge_row(given, request.defaults, batch_id)
        own = own or await _find_faults(with_shared_money(body, request.budget), services, judged, until)
        question = body.get("question")
        if own:
            reason = "; ".join(f"{fault.field}: {fault.message}" for fault in own)
            body = {"question": question if isinstance(question, str) else ""}
            kept.append(BatchQuestion(number=number, request=body, cells=cells, state="skipped", reason=reason))
        else:
            kept.append(BatchQuestion(number=number, request=body, cells=cells))
        faults += [_place_fault(fault, number, given, request.defaults) for fault in own]
    if faults and (not request.skip_invalid or len({one.state for one in kept}) == 1):
        raise RequestInvalid(list(dict.fromkeys(faults)))
    return kept


def _place_fault(fault: FieldFault, number: int, given: Mapping[str, Any], defaults: Mapping[str, Any]) -> FieldFault:
    """A fault at its place in the request: what is wrong with `defaults` is not repeated for each question."""
    top = fault.field.partition(".")[0]
    shared = top not in given and top in defaults and not (top == "question" and "row" in given)
    where = "defaults" if shared else f"questions.{number}"
    return FieldFault(field=f"{where}.{fault.field}", message=fault.message)


def _merge_row(
    given: Mapping[str, Any], defaults: Mapping[str, Any], batch_id: str
) -> tuple[JsonObject, dict[str, str], tuple[FieldFault, ...]]:
    """The body of a question, the cells of its row, and what is wrong with these."""
    body = {"priority": "batch", **defaults, **{name: value for name, value in given.items() if name != "row"}}
    try:
        row = _ROW.validate_python(given.get("row", {}))
    except ValidationError as error:
        wrong = ((f"row.{one.field}".removesuffix(".body"), one.message) for one in field_faults(error.errors()))
        return body, {}, tuple(FieldFault(field=field, message=message) for field, message in wrong)
    template = defaults.get("question")
    if "question" not in given and "row" in given and isinstance(template, str):
        if faults := _find_row_faults(template, row):
            return body, row, faults
        if (length := _measure_filled(template, row)) > MAX_QUESTION:
            return {**body, "question": ""}, row, (FieldFault(field="question", message=_describe_length(length)),)
        body["question"] = _PLACE.sub(lambda place: row[place[1].strip()], template)
    metadata = body.get("metadata", {})
    if isinstance(metadata, dict):
        body["metadata"] = {**metadata, METADATA: batch_id}
    return body, row, ()


def _find_row_faults(template: str, row: Mapping[str, str]) -> tuple[FieldFault, ...]:
    names = list(dict.fromkeys(name.strip() for name in _PLACE.findall(template)))
    if not names:
        return (FieldFault(field="question", message="has no column in braces, as `{company}`, for `row` to fill in"),)
    there = ", ".join(repr(name) for name in row) or "none"
    missing = [f"there is no column {name!r} in `row`; there are: {there}" for name in names if name not in row]
    empty = [f"the cell of the column {name!r} is empty" for name in names if name in row and not row[name].strip()]
    return tuple(FieldFault(field="row", message=message) for message in (*missing, *empty))


def with_shared_money(body: JsonObject, budget: BatchBudget) -> JsonObject:
    """The body as it is judged: a run of a batch with a limit of money has one, too."""
    own = body.get("budget", {})
    if budget.cost_usd is None or not isinstance(own, dict) or "cost_usd" in own:
        return body
    return {**body, "budget": {**own, "cost_usd": min(budget.cost_usd, usd_from_microusd(MOST_COST))}}


def _measure_filled(template: str, row: Mapping[str, str]) -> int:
    """The length of a template with its columns filled in. A column may occur in it ten thousand times."""
    places = list(_PLACE.finditer(template))
    return len(template) + sum(len(row[place[1].strip()]) - len(place[0]) for place in places)


def _describe_length(length: int) -> str:
    return f"has {length:,} characters once `row` is filled in, and {MAX_QUESTION:,} are the most: shorten it"


async def _find_faults(
    body: JsonObject, services: Services, judged: dict[str, tuple[FieldFault, ...]], until: float
) -> tuple[FieldFault, ...]:
    """The faults of a body; what questions have in common is judged once, and after `until` only if nothing was yet."""
    try:
        request = RunRequest.model_validate(body)
    except ValidationError as error:
        return field_faults(error.errors())
    common = {name: value for name, value in body.items() if name not in _OWN or "previous_run" in body}
    known = json.dumps(common, sort_keys=True)
    if known not in judged and (not judged or time.monotonic() < until):
        judged[known] = ()
        try:
            await judge_run_request(request, services, new_run_id(services.tenant, "0"))
        except (RequestInvalid, GraphInvalid) as error:
            judged[known] = list_request_faults(error)
    return judged.get(known, ())
