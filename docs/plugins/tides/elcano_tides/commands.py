"""`elcano tides PORT`: asks the API."""

from typing import Annotated
from urllib.parse import quote

from elcano.cli.options import argument
from elcano.cli.printing import print_line
from elcano.cli.requests import get_json


def show_tide(port: Annotated[str, argument("The port.")]) -> None:
    """Tell when the tide is high in a port."""
    found = get_json(f"/v1/tides/{quote(port, safe='')}")
    print_line(f"{found['port']}: {found['time']}" if found["port"] else f"The almanac has no {port!r}.")
