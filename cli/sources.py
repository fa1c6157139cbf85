"""The command about sources: what can be searched, and what those lack that cannot."""

import json
import sys
from typing import Any

from elcano.cli.client import Api
from elcano.cli.exits import Exit
from elcano.settings import program_settings


def sources(*, as_json: bool) -> Exit:
    """Prints the sources, one a line, each with what it can do and allows below it."""
    with Api(program_settings().base_url) as api:
        found: list[dict[str, Any]] = api.get("/v1/sources")
    if as_json:
        _print(json.dumps(found))
        return Exit.OK
    if not found:
        _print("There are no sources; name a folder in ELCANO_COLLECTIONS.")
    width = max((len(source["name"]) for source in found), default=0)
    for source in found:
        _print(f"{source['name']:<{width}}  {'ready ' if source['ready'] else 'closed'}  {source['description']}")
        for line in (source["missing"], "; ".join(_traits(source))):
            if line:
                _print(f"{'':<{width}}          {line}")
    return Exit.OK


def _traits(source: dict[str, Any]) -> list[str]:
    """What it can do and what it allows, where that is more than of any folder."""
    rate, with_key = source["per_second"], source["per_second_with_key"]
    said = [source["kind"], source["texts"]]
    said += ["dated"] if source["dated"] else []
    said += [f"languages: {', '.join(source['languages'])}"] if source["languages"] else []
    said += [f"queries can narrow by {', '.join(source['filters'])}"] if source["filters"] else []
    said += [f"{rate:g} searches a second"] if rate else []
    said += [f"{with_key:g} with {source['key']}"] if with_key else []
    return said


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
