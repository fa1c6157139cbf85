"""Puts a service's refusal text into the error, so that a person can correct the query. It is never evidence."""

import json
import re
from typing import Any, Final

import httpx

from elcano.activities.sources.http.fetching import Answer
from elcano.activities.sources.retry_after import require_answer
from elcano.graphs.errors import SourceBusy, SourceRefused
from elcano.plugins.literature import fields

SAID_CHARACTERS: Final = 300
_ADDRESS: Final = re.compile(r"https?://\S+")
"""Services repeat the address that they were asked, and a key may be in it."""


def require_answered(source: str, answer: Answer) -> None:
    """Returns if `answer` has a status of success.

    Raises:
        SourceBusy: the provider is down, overloaded, or asks to wait.
        SourceRefused: the same request will never be answered.
    """
    try:
        require_answer(source, httpx.Response(answer.status, headers=answer.headers))
    except SourceBusy as error:
        raise SourceBusy(_append_reason(str(error), answer), error.retry_after) from None
    except SourceRefused as error:
        raise SourceRefused(_append_reason(str(error), answer)) from None


def extract_refusal_reason(answer: Answer) -> str:
    """The reason in an answer's JSON or plain text, on one line; empty for a page of HTML and for all else."""
    if answer.media_type.endswith("json"):
        try:
            given = json.loads(answer.content)
        except (ValueError, RecursionError):  # what says nothing that can be read leaves the status to speak
            return ""
        return _redact_addresses(_find_json_reason(given))
    return _redact_addresses(answer.text[:2_000]) if answer.media_type == "text/plain" else ""


def _append_reason(error: str, answer: Answer) -> str:
    reason = extract_refusal_reason(answer)
    return f"{error}: {reason}" if reason else error


def _find_json_reason(given: Any) -> str:
    held = fields.coerce_mapping(given)
    listed = [fields.coerce_text(one.get("message")) for one in fields.coerce_mappings(held.get("message"))]
    return (
        "; ".join(filter(None, listed))
        or fields.coerce_text(held.get("message"))
        or fields.coerce_text(held.get("error"))
    )


def _redact_addresses(text: str) -> str:
    return " ".join(_ADDRESS.sub("[address]", text).split())[:SAID_CHARACTERS]
