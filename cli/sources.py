"""`elcano sources`: the sources, the state of each, and whether one finds anything."""

from datetime import UTC, datetime
from typing import Annotated, Any, Final
from urllib.parse import quote

import typer

from elcano.cli.options import AsJson, argument
from elcano.cli.printing import exit_with_json, format_seconds, print_line
from elcano.cli.requests import get_json, post_json, print_note

app = typer.Typer()

STATES: Final = {
    "ready": "ready",
    "needs_key": "needs a key",
    "off": "switched off",
    "unserved": "no worker",
    "waiting": "waiting",
    "failing": "failing",
    "trial": "on trial",
}


@app.callback(invoke_without_command=True)
def list_sources(context: typer.Context, as_json: AsJson = False) -> None:
    """List the sources with their state, and what is missing where one cannot be searched."""
    if context.invoked_subcommand is not None:
        return
    found: list[Any] = get_json("/v1/sources")
    exit_with_json(found, wanted=as_json)
    if not found:
        print_line("There are no sources; name a folder in ELCANO_COLLECTIONS.")
    width = max((len(source["name"]) for source in found), default=0)
    column = max(map(len, STATES.values()))
    for source in found:
        shown = STATES.get(source["state"], source["state"])
        print_line(f"{source['name']:<{width}}  {shown:<{column}}  {source['description']}")
        for line in (source["missing"], *_describe_state(source), "; ".join(_list_traits(source))):
            if line:
                print_line(f"{'':<{width}}  {'':<{column}}  {line}")


@app.command("check")
def check_source(
    name: Annotated[str, argument("The source, as `elcano sources` lists it.")],
    query: Annotated[str, argument("What to search for.")],
    limit: Annotated[int, typer.Option(min=1, max=50, help="How many passages to show.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Search one source once, through a worker, and show the results; nothing is stored."""
    found = post_json(f"/v1/sources/{quote(name, safe='')}/check", {"query": query, "limit": limit})
    exit_with_json(found, wanted=as_json)
    count = len(found["passages"])
    many = "nothing" if not count else "1 passage" if count == 1 else f"{count} passages"
    print_line(f"{name} found {many} for {found['query']!r} in {format_seconds(found['seconds'])}")
    for number, passage in enumerate(found["passages"], 1):
        print_line(f"\n{number}. {passage['title']}\n   {passage['locator']}\n   {passage['excerpt']}")
    for warning in found["warnings"]:
        print_note(f"warning: {warning}")


def _describe_state(source: dict[str, Any]) -> list[str]:
    """Describe the state of a source's provider, if something is or was wrong."""
    lines = []
    if source["state"] in ("waiting", "failing", "trial"):
        since = f"since {_format_utc_time(source['since'])}" if source["since"] else ""
        until = f"not searched until {_format_utc_time(source['until'])}" if source["until"] else ""
        lines += ["; ".join(filter(None, (since, until)))]
    if source["last_error"]:
        lines += [f"last error ({_format_utc_time(source['last_error_at'])}): {source['last_error']}"]
    return lines


def _list_traits(source: dict[str, Any]) -> list[str]:
    """List a source's abilities and limits, beyond those of a plain folder."""
    rate, with_key = source["per_second"], source["per_second_with_key"]
    traits = [source["kind"], source["texts"]]
    traits += ["dated"] if source["dated"] else []
    traits += [f"languages: {', '.join(source['languages'])}"] if source["languages"] else []
    traits += [f"queries can narrow by {', '.join(source['filters'])}"] if source["filters"] else []
    traits += [f"{rate:g} {'search' if rate == 1 else 'searches'} a second"] if rate else []
    traits += [f"{with_key:g} with {source['key']}"] if with_key else []
    return traits


def _format_utc_time(at: str) -> str:
    return f"{datetime.fromisoformat(at).astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"
