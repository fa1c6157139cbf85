"""What MediaWiki answers, in either of its two formats; with status 200 it may be an error."""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from elcano.activities.sources.http.fetching import Answer
from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from elcano.graphs.text import shorten_text
from elcano.plugins.literature import fields
from elcano.plugins.literature.service_answers import json_of

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


def parse_query_result(source: str, answer: Answer) -> Mapping[str, Any]:
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
        error = fields.coerce_mapping(given["error"])
        code = fields.coerce_text(error.get("code")) or "unknown"
        reason = shorten_text(f"{code}: {fields.coerce_text(error.get('info'))}", SAID_CHARACTERS)
        kind = SourceBusy if code.startswith(_BUSY) else SourceRefused
        raise kind(f"{source}: it answers with an error, {reason}")
    if "query" not in given and "batchcomplete" not in given:
        raise SourceUnavailable(f"{source}: the answer holds no result")
    return fields.coerce_mapping(given.get("query"))


def list_hit_page_ids(source: str, answer: Answer) -> list[int]:
    """The ids of the articles that a search found, best first, each once.

    Raises:
        SourceUnavailable: the answer is that of no search, or an error as `parse_query_result` says.
    """
    found = parse_query_result(source, answer).get("search")
    if not isinstance(found, list):
        raise SourceUnavailable(f"{source}: the answer is that of no search")
    ids = [fields.coerce_whole_number(one.get("pageid")) for one in fields.coerce_mappings(found)]
    return list(dict.fromkeys(id for id in ids if id))


def find_article_page(source: str, answer: Answer) -> Page | None:
    """The one article of an answer; None if it is not there any more."""
    pages = parse_query_result(source, answer).get("pages")
    listed = fields.coerce_mappings(pages if isinstance(pages, list) else list(fields.coerce_mapping(pages).values()))
    return next((read for one in listed if (read := parse_page_entry(one)) is not None), None)


def parse_page_entry(given: Mapping[str, Any]) -> Page | None:
    """One page of an answer; None if it is missing. What has another type than it should stays empty."""
    id = fields.coerce_whole_number(given.get("pageid"))
    if not id or "missing" in given or "invalid" in given:
        return None
    latest = next(iter(fields.coerce_mappings(given.get("revisions"))), {})
    text = given.get("extract")
    address = fields.coerce_text(given.get("canonicalurl")) or fields.coerce_text(given.get("fullurl"))
    return Page(
        id=id,
        title=fields.coerce_text(given.get("title")),
        text=text if isinstance(text, str) else "",
        revision=fields.coerce_whole_number(latest.get("revid")) or fields.coerce_whole_number(given.get("lastrevid")),
        changed=fields.coerce_date(latest.get("timestamp")),
        address=address if _ADDRESS.fullmatch(address) else "",
        disambiguation="disambiguation" in fields.coerce_mapping(given.get("pageprops")),
    )
