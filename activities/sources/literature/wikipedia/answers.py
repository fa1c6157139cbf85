"""What MediaWiki answers, in either of its two formats; with status 200 it may be an error."""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from elcano.activities.sources.http.fetching import Answer
from elcano.activities.sources.literature import fields
from elcano.activities.sources.literature.answers import json_of
from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from elcano.graphs.shortening import shortened

SAID_CHARACTERS: Final = 200
_BUSY: Final = ("ratelimited", "maxlag", "readonly", "internal_api_error", "cirrussearch-", "search-error", "timeout")
"""How the codes of errors begin that a later request may not meet."""

_ADDRESS: Final = re.compile(r"https?://[A-Za-z0-9.-]+(?::\d{1,4})?/\S*")


class Page(NamedTuple):
    """An article as it was read."""

    id: int
    title: str
    text: str
    """Plain text with headings as `== Heading ==`; empty if there is none."""
    revision: int | None
    changed: str
    """The date of the revision; empty if unknown."""
    address: str
    """Of its newest revision, over HTTP; empty if unknown."""
    disambiguation: bool
    """Whether it only lists articles of similar names."""


def query(source: str, answer: Answer) -> Mapping[str, Any]:
    """The `query` of an answer; empty if nothing was found.

    Raises:
        SourceBusy: it is an error that passes.
        SourceRefused: it is another error.
        SourceUnavailable: it is something else.
    """
    given = json_of(source, answer)
    if not isinstance(given, dict):
        raise SourceUnavailable(f"{source}: the answer is no object")
    if "error" in given:
        error = fields.mapping(given["error"])
        code = fields.text(error.get("code")) or "unknown"
        reason = shortened(f"{code}: {fields.text(error.get('info'))}", SAID_CHARACTERS)
        kind = SourceBusy if code.startswith(_BUSY) else SourceRefused
        raise kind(f"{source}: it answers with an error, {reason}")
    if "query" not in given and "batchcomplete" not in given:
        raise SourceUnavailable(f"{source}: the answer holds no result")
    return fields.mapping(given.get("query"))


def hits(source: str, answer: Answer) -> list[int]:
    """The ids of the articles that a search found, best first, each once.

    Raises:
        SourceUnavailable: the answer is that of no search, or an error as `query` says.
    """
    found = query(source, answer).get("search")
    if not isinstance(found, list):
        raise SourceUnavailable(f"{source}: the answer is that of no search")
    ids = [fields.number(one.get("pageid")) for one in fields.mappings(found)]
    return list(dict.fromkeys(id for id in ids if id))


def page(source: str, answer: Answer) -> Page | None:
    """The one article of an answer; None if it is not there any more."""
    pages = query(source, answer).get("pages")
    listed = fields.mappings(pages if isinstance(pages, list) else list(fields.mapping(pages).values()))
    return next((read for one in listed if (read := described(one)) is not None), None)


def described(given: Mapping[str, Any]) -> Page | None:
    """One page of an answer; None if it is missing. What has another type than it should stays empty."""
    id = fields.number(given.get("pageid"))
    if not id or "missing" in given or "invalid" in given:
        return None
    latest = next(iter(fields.mappings(given.get("revisions"))), {})
    text = given.get("extract")
    address = fields.text(given.get("canonicalurl")) or fields.text(given.get("fullurl"))
    return Page(
        id=id,
        title=fields.text(given.get("title")),
        text=text if isinstance(text, str) else "",
        revision=fields.number(latest.get("revid")) or fields.number(given.get("lastrevid")),
        changed=fields.date(latest.get("timestamp")),
        address=address if _ADDRESS.fullmatch(address) else "",
        disambiguation="disambiguation" in fields.mapping(given.get("pageprops")),
    )
