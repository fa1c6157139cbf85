"""The commands about sources: what can be searched, how each stands, and whether it finds anything."""

import sys
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote

from elcano.cli.client import Api
from elcano.cli.exits import Exit
from elcano.cli.printing import format_seconds, print_json
from elcano.settings import program_settings

STATES: Final = {
    "ready": "ready",
    "needs_key": "needs a key",
    "off": "switched off",
    "unserved": "no worker",
    "waiting": "waiting",
    "failing": "failing",
    "trial": "on trial",
}


def print_sources(*, as_json: bool) -> Exit:
    """Prints the sources, one per line with its status, and below each its abilities and limits."""
    with Api(program_settings().base_url) as api:
        found: list[Any] = api.get("/v1/sources")
    if as_json:
        print_json(found)
        return Exit.OK
    if not found:
        _print_line("There are no sources; name a folder in ELCANO_COLLECTIONS.")
    width = max((len(source["name"]) for source in found), default=0)
    column = max(map(len, STATES.values()))
    for source in found:
        shown = STATES.get(source["state"], source["state"])
        _print_line(f"{source['name']:<{width}}  {shown:<{column}}  {source['description']}")
        for line in (source["missing"], *_describe_provider_state(source), "; ".join(_list_source_traits(source))):
            if line:
                _print_line(f"{'':<{width}}  {'':<{column}}  {line}")
    return Exit.OK


def print_source_check(name: str, query: str, limit: int, *, as_json: bool) -> Exit:
    """Prints what a source finds for a query."""
    with Api(program_settings().base_url) as api:
        found: dict[str, Any] = api.ask(f"/v1/sources/{quote(name, safe='')}/check", {"query": query, "limit": limit})
    if as_json:
        print_json(found)
        return Exit.OK
    count = len(found["passages"])
    many = "nothing" if not count else "1 passage" if count == 1 else f"{count} passages"
    _print_line(f"{name} found {many} for {found['query']!r} in {format_seconds(found['seconds'])}")
    for number, passage in enumerate(found["passages"], 1):
        _print_line(f"\n{number}. {passage['title']}\n   {passage['locator']}\n   {passage['excerpt']}")
    for warning in found["warnings"]:
        sys.stderr.write(f"warning: {warning}\n")
    return Exit.OK


def _describe_provider_state(source: dict[str, Any]) -> list[str]:
    """How its provider stands, where something is or was wrong."""
    said = []
    if source["state"] in ("waiting", "failing", "trial"):
        since = f"since {_format_utc_time(source['since'])}" if source["since"] else ""
        until = f"left alone until {_format_utc_time(source['until'])}" if source["until"] else ""
        said += ["; ".join(filter(None, (since, until)))]
    if source["last_error"]:
        said += [f"last error ({_format_utc_time(source['last_error_at'])}): {source['last_error']}"]
    return said


def _list_source_traits(source: dict[str, Any]) -> list[str]:
    """Return a source's abilities and limits, where they go beyond those of any folder."""
    rate, with_key = source["per_second"], source["per_second_with_key"]
    said = [source["kind"], source["texts"]]
    said += ["dated"] if source["dated"] else []
    said += [f"languages: {', '.join(source['languages'])}"] if source["languages"] else []
    said += [f"queries can narrow by {', '.join(source['filters'])}"] if source["filters"] else []
    said += [f"{rate:g} {'search' if rate == 1 else 'searches'} a second"] if rate else []
    said += [f"{with_key:g} with {source['key']}"] if with_key else []
    return said


def _format_utc_time(at: str) -> str:
    return f"{datetime.fromisoformat(at).astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _print_line(text: str) -> None:
    sys.stdout.write(text + "\n")
