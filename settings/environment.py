"""What is read of the environment by itself: which plugins to load, and variables that are not ours, such as keys.

The plugins decide which other settings there are. Nothing large is imported here: `elcano --help` lists the commands of
plugins, and answers at once.
"""

import json
import os
from pathlib import Path
from typing import Final

ENV_FILE: Final = ".env"
_VARIABLE: Final = "ELCANO_PLUGINS"


def read_plugin_choice() -> tuple[str, ...]:
    """The plugins that the environment names, or else `.env`; in capitals or not, as for every setting."""
    found: dict[str, str | None] = {}
    if Path(ENV_FILE).is_file():
        from dotenv import dotenv_values

        found = dotenv_values(ENV_FILE)
    values = {name.upper(): value for name, value in (found | dict(os.environ)).items()}
    return split_plugin_names(values.get(_VARIABLE) or "")


def split_plugin_names(text: str) -> tuple[str, ...]:
    """Names with commas between them, or a JSON list of them."""
    return tuple(json.loads(text)) if text.startswith("[") else tuple(filter(None, map(str.strip, text.split(","))))


def is_set(name: str) -> bool:
    """Whether a variable that is not ours, such as a provider's key, is there and not empty."""
    return bool(os.environ.get(name))


def read_key_variable(name: str) -> str:
    """The key in a variable that is not ours; empty if it is not set."""
    return os.environ.get(name, "").strip()
