"""Selects the rubric that a run's evidence is judged by: a named one, one in the request, none, or one by question."""

from typing import Any

from pydantic import ValidationError

from elcano.api.http.errors import FieldFault, RequestInvalid, field_faults
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.spec.limits import MAX_FAULTS
from elcano.graphs.state.rubric import GENERAL, Rubric
from elcano.settings.settings import Settings
from elcano.storage.domains import known_domains


def list_rubrics(settings: Settings) -> list[Rubric]:
    """Every rubric that a run can name here.

    Raises:
        InputInvalid: the server's own cannot be used.
    """
    return [*known_domains(settings).values()]


def choose_rubrics(wanted: str | dict[str, Any] | None, settings: Settings) -> tuple[str, tuple[Rubric, ...]]:
    """The name of a run's domain, empty if its question decides, and the rubrics that the run is given.

    Raises:
        RequestInvalid: there is no such domain, or the rubric that was brought cannot be used.
        InputInvalid: the server's own rubrics cannot.
    """
    if isinstance(wanted, dict):
        rubric = _validate_own_rubric(wanted)
        return rubric.name, (rubric,)
    known = known_domains(settings)
    if wanted is None:
        return "", tuple(known.values())
    if wanted == GENERAL:
        return GENERAL, ()
    if wrong := list(explain_unknown_name("domain", wanted, [GENERAL, *known])):
        raise RequestInvalid([FieldFault(field="domain", message=text) for text in wrong])
    return wanted, (known[wanted],)


def _validate_own_rubric(given: dict[str, Any]) -> Rubric:
    try:
        rubric = Rubric.model_validate(given)
    except ValidationError as error:
        found = field_faults(error.errors(include_url=False, include_context=False)[:MAX_FAULTS])
        wrong = [FieldFault(field=f"domain.{one.field}".rstrip("."), message=one.message) for one in found]
        raise RequestInvalid(wrong) from error
    if rubric.name == GENERAL:
        fault = f"{GENERAL!r} is the judge that goes by no rubric: give yours another name"
        raise RequestInvalid([FieldFault(field="domain.name", message=fault)])
    return rubric
