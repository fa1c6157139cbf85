"""The refusal of a request for a run whose form is wrong: with the faults of the fields whose form is right, too.

A client that fixes the reported faults should not get others the next time. So the fields whose form is
wrong are left out, and what remains is judged as any request is. What depends on a field that was left out is not
judged: a graph is not tried with a budget that cannot be read.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from elcano.graphs.tenants import run_id as new_run_id
from elcano.service.errors import FieldFault, RequestInvalid, field_faults
from elcano.service.fields import find_similar_field
from elcano.service.process import Services
from elcano.service.runs.judgement import Refusals
from elcano.service.runs.request_facts import judge_run_request
from elcano.service.runs.run_request import RunRequest

PLACEHOLDER: Final = "?"
"""The question of a request that has none, or a wrong one: nothing that is judged depends on its words."""


async def explain_malformed_request(error: RequestValidationError, services: Services) -> RequestInvalid:
    """The refusal of a body that is no `RunRequest`, with everything else that is wrong with it."""
    found = field_faults(error.errors(), skip=1)
    try:
        request = RunRequest.model_validate(_leave_out_wrong_fields(error))
    except ValidationError:  # fields that are wrong together
        return RequestInvalid(found)
    refused = Refusals([*found], wrong_fields=frozenset(_list_wrong_fields(found)))
    try:
        await judge_run_request(request, services, new_run_id(services.tenant, "0" * 26), refused)
    except RequestInvalid as judged:
        return judged
    return RequestInvalid(found)


def _list_wrong_fields(faults: Iterable[FieldFault]) -> Iterable[str]:
    """The fields that are wrong, and those that may be meant by names that no field has."""
    known = RunRequest.model_fields
    for fault in faults:
        name = fault.field.partition(".")[0]
        yield name if name in known else find_similar_field(name, known) or name


def _leave_out_wrong_fields(error: RequestValidationError) -> dict[str, Any]:
    """The body without what is wrong in it."""
    body: Mapping[str, Any] = error.body if isinstance(error.body, dict) else {}
    for one in error.errors():
        if place := one["loc"][1:]:
            body = _leave_out(body, [str(part) for part in place])
    return {"question": PLACEHOLDER, **body}


def _leave_out(body: Mapping[str, Any], place: Sequence[str]) -> dict[str, Any]:
    """An object without the smallest part that a place is in; of a list, it is without all of it."""
    name, *rest = place
    inner = body.get(name)
    if rest and isinstance(inner, Mapping) and rest[0] in inner:
        return {**body, name: _leave_out(inner, rest)}
    return {key: value for key, value in body.items() if key != name}
