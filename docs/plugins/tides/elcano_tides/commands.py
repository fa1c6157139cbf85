"""`elcano tides PORT`: asks the API."""

import sys
from typing import Annotated
from urllib.parse import quote

import typer


def show_tide(port: Annotated[str, typer.Argument(help="The port.", show_default=False)]) -> None:
    """Tell when the tide is high in a port."""
    from elcano.cli.client import Api
    from elcano.settings import program_settings

    with Api(program_settings().base_url) as api:
        found = api.get(f"/v1/tides/{quote(port, safe='')}")
    sys.stdout.write(f"{found['port']}: {found['time']}\n" if found["port"] else f"The almanac has no {port!r}.\n")
