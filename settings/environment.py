"""Variables that are read by themselves: the choice of plugins, and variables of other programs, such as keys.

The plugins decide which other settings exist. Nothing large is imported here: `elcano --help` lists the commands of
plugins, and answers at once.
"""

import json
import os
from pathlib import Path
from typing import Final

ENV_FILE: Final = ".env"
_VARIABLE: Final = "ELCANO_PLUGINS"


def read_plugin_choice() -> tuple[str, ...]:
    """Return the plugins that the environment names, or else `.env`; the case of the variable does not matter."""
    found: dict[str, str | None] = {}
    if Path(ENV_FILE).is_file():
        from dotenv import dotenv_values

        found = dotenv_values(ENV_FILE)
    values = {name.upper(): value for name, value in (found | dict(os.environ)).items()}
    return split_plugin_names(values.get(_VARIABLE) or "")


def split_plugin_names(text: str) -> tuple[str, ...]:
    """Split names that are separated by commas, or a JSON list of them."""
    return tuple(json.loads(text)) if text.startswith("[") else tuple(filter(None, map(str.strip, text.split(","))))


def is_set(name: str) -> bool:
    """Whether a variable of another program, such as a provider's key, is set and not empty."""
    return bool(os.environ.get(name))


def read_key_variable(name: str) -> str:
    """Return the key in a variable of another program; empty if it is not set."""
    return os.environ.get(name, "").strip()
