"""Every error of the application as a problem document (RFC 9457).

The detail is the text of the error, written for the person who has to act; an unexpected error shows no detail, because
its text was written for no one.
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from http import HTTPStatus
from json import JSONDecodeError

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from elcano.api.http.errors import PROBLEM_MEDIA_TYPE, BodyUnreadable, PathNotFound, Problem, get_status
from elcano.api.http.methods import format_allow_header, list_paths
from elcano.graphs.checks.references import ALIKE
from elcano.service.errors import (
    PROBLEMS,
    FieldFault,
    OutcomeUnknown,
    Refusal,
    RequestInvalid,
    StoreUnavailable,
    Unauthenticated,
    field_faults,
    find_problem,
    list_request_faults,
)
from elcano.storage.health import STORE_ERRORS, store_trouble


def problem_response(
    status: int,
    title: str,
    *,
    kind: str = "about:blank",
    detail: str = "",
    instance: str = "",
    errors: Sequence[FieldFault] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A problem document as a response."""
    problem = Problem(type=kind, title=title, status=status, detail=detail, instance=instance, errors=tuple(errors))
    content = problem.model_dump_json(exclude_defaults=True)
    return Response(content, status_code=status, media_type=PROBLEM_MEDIA_TYPE, headers=headers)


def known_problem(error: Exception, instance: str) -> Response:
    """The response for an error of the table."""
    kind = find_problem(error)
    assert kind is not None
    faults = list_request_faults(error)
    retry_after = (error.retry_after if isinstance(error, Refusal) else None) or kind.retry_after
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    if isinstance(error, OutcomeUnknown):
        headers["Idempotency-Key"] = error.key
    if isinstance(error, Unauthenticated):
        headers["WWW-Authenticate"] = error.challenge
    return problem_response(
        get_status(kind),
        kind.title,
        kind=kind.type,
        detail=str(error),
        instance=instance,
        errors=faults,
        headers=headers,
    )


async def _handle_known_error(request: Request, error: Exception) -> Response:
    return known_problem(error, request.url.path)


async def _handle_store_error(request: Request, error: Exception) -> Response:
    """A store that cannot be used now; any other error of the database is a bug and stays one."""
    trouble = store_trouble(error)
    if trouble is None:
        raise error
    request.app.state.services.writable.forget()
    return known_problem(StoreUnavailable(trouble), request.url.path)


async def _handle_validation_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    for fault in error.errors():
        if fault["type"] == "json_invalid":
            where = f" at character {fault['loc'][-1]}" if len(fault["loc"]) > 1 else ""
            return known_problem(BodyUnreadable(f"the body is not JSON{where}"), request.url.path)
    return known_problem(RequestInvalid(field_faults(error.errors(), skip=1)), request.url.path)


async def _handle_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == HTTPStatus.NO_CONTENT:
        return Response(status_code=error.status_code, headers=headers)
    if unreadable := _explain_unreadable_body(error.__cause__):
        return known_problem(unreadable, request.url.path)
    if error.status_code == HTTPStatus.NOT_FOUND:
        return known_problem(PathNotFound(_explain_unknown_path(request)), request.url.path)
    title = HTTPStatus(error.status_code).phrase
    detail = error.detail if error.detail != title else ""
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        headers["Allow"] = format_allow_header(request.app.routes, request.scope)
        detail = f"{request.method} is not one of {headers['Allow']}"
    return problem_response(error.status_code, title, detail=detail, instance=request.url.path, headers=headers)


def _explain_unknown_path(request: Request) -> str:
    """Suggest the path that a request may have meant, and point to the list of all paths."""
    asked = request.url.path
    known = list_paths(request.app.routes)
    near = get_close_matches(asked[:200], known, n=1, cutoff=ALIKE)
    hint = f"did you mean `{near[0]}`? " if near else ""
    return f"there is nothing at this path; {hint}`/docs` describes all paths, `/openapi.json` does for programs"


def _explain_unreadable_body(cause: BaseException | None) -> BodyUnreadable | None:
    """Explain why Python's JSON parser gave up on a body, from the exception that it raised."""
    if isinstance(cause, UnicodeDecodeError):
        return BodyUnreadable(f"the body is not {cause.encoding.upper()}: byte {cause.start} cannot be decoded")
    if isinstance(cause, RecursionError):
        return BodyUnreadable("the body is nested too deeply; send flatter JSON")
    if isinstance(cause, ValueError) and not isinstance(cause, JSONDecodeError):
        return BodyUnreadable("the body has an integer with too many digits to be one; send it as text or shorter")
    return None


async def _handle_unexpected_error(request: Request, error: Exception) -> Response:
    return problem_response(500, "Internal error", instance=request.url.path)


def install_error_handlers(app: FastAPI) -> None:
    """Makes every error of `app` a problem document."""
    for error in PROBLEMS:
        app.add_exception_handler(error, _handle_known_error)
    for error in STORE_ERRORS:
        app.add_exception_handler(error, _handle_store_error)
    app.add_exception_handler(RequestValidationError, _handle_validation_error)
    app.add_exception_handler(HTTPException, _handle_http_error)
    app.add_exception_handler(Exception, _handle_unexpected_error)
