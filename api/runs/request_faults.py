"""All faults of a request for a run at once: a field that does not have its form hides nothing else that is wrong."""

import json
from collections.abc import AsyncIterator
from typing import Any, Final

from fastapi import Depends
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from elcano.api.services import Provided, Services
from elcano.graphs.errors import GraphInvalid
from elcano.service.errors import FieldFault, RequestInvalid, TemporalUnavailable, field_faults, list_request_faults
from elcano.service.runs.request_facts import judge_run_request
from elcano.service.runs.run_request import RunRequest

ANY_QUESTION: Final = "?"
"""In place of a question that does not have its form."""


async def _name_all_faults(services: Provided) -> AsyncIterator[None]:
    try:
        yield
    except RequestValidationError as error:
        if not isinstance(error.body, dict):
            raise
        faults = field_faults(error.errors(), skip=1)
        raise RequestInvalid((*faults, *await _judge_rest(error.body, faults, services))) from error


async def _judge_rest(body: dict[str, Any], faults: tuple[FieldFault, ...], services: Services) -> list[FieldFault]:
    """The faults of a request without the fields that are wrong by themselves, as far as they can be known."""
    wrong = {fault.field.partition(".")[0] for fault in faults}
    known = {name: body[name] for name in RunRequest.model_fields if name in body and name not in wrong}
    try:
        request = RunRequest.model_validate_json(json.dumps({"question": ANY_QUESTION, **known}))
        await judge_run_request(request, services, "")
    except (RequestInvalid, GraphInvalid) as error:
        return [fault for fault in list_request_faults(error) if fault.field.partition(".")[0] not in wrong]
    except (TemporalUnavailable, ValidationError):  # it cannot be said, or not even be read, as lone surrogates
        pass
    return []


NAMES_ALL_FAULTS: Final = Depends(_name_all_faults)
"""A dependency of routes that take a `RunRequest` as their body."""
