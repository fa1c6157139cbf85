"""What nobody may read: the values of variables that hold keys, whoever they belong to."""

import os
import re
from typing import Final
from urllib.parse import unquote

from elcano.settings.composed import variable

LEAST_SECRET: Final = 8
"""Characters; a shorter value may be a word, which would be torn out of every text that has it."""
_SECRET_NAME: Final = re.compile(
    r"PGPASSWORD|(?:.*_)?(?:(?:API)?KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|TOKEN_BEDROCK|KEY_DATA)(?:_\d+)?",
    re.IGNORECASE,
)
"""How the variables are called that hold keys: `*_API_KEY`, `*_TOKEN`, `*_SECRET` and what providers read beside."""
_PASSWORD_IN_URL: Final = re.compile(r"(?<=://)[^:/?#]*:(.*)@")
_PASSWORD_OF_DATABASE: Final = re.compile(r'(?<=://)[^:/?#"]*:([^"]*)@|[?&]password=([^&"]+)')


def secrets() -> tuple[str, ...]:
    """The values of all variables that hold keys by their names, of 8 characters and more; the longest first."""
    found = {value.strip() for name, value in os.environ.items() if _SECRET_NAME.fullmatch(name)}
    for url in ("store_url", "knowledge", "proxy"):
        for password in _PASSWORD_IN_URL.findall(os.environ.get(variable(url), "")):
            found |= {password, unquote(password)}
    for pair in _PASSWORD_OF_DATABASE.findall(os.environ.get(variable("databases"), "")):
        found |= {written for password in pair for written in (password, unquote(password))}
    return tuple(
        sorted((value for value in found if len(value) >= LEAST_SECRET), key=lambda value: (-len(value), value))
    )
