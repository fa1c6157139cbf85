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
_FALSE: Final = frozenset({"", "0", "f", "false", "n", "no", "off"})
"""What pydantic reads as false, and nothing at all."""


def read_plugin_choice() -> tuple[str, ...]:
    """Return the plugins that the environment names, or else `.env`."""
    return split_plugin_names(_read_own_variable(_VARIABLE))


def is_turned_on(name: str) -> bool:
    """Whether a variable of Elcano's own, such as a plugin's setting, is set and not false."""
    return _read_own_variable(name).strip().lower() not in _FALSE


def _read_own_variable(name: str) -> str:
    """The text of a variable in the environment, or else in `.env`; the case of its name does not matter."""
    found: dict[str, str | None] = {}
    if Path(ENV_FILE).is_file():
        from dotenv import dotenv_values

        found = dotenv_values(ENV_FILE)
    values = {name.upper(): value for name, value in (found | dict(os.environ)).items()}
    return values.get(name.upper()) or ""


def load_other_variables() -> None:
    """Set variables of other programs, such as providers' keys, that stand in `.env` and not in the environment."""
    if not Path(ENV_FILE).is_file():
        return
    from dotenv import dotenv_values

    for name, value in dotenv_values(ENV_FILE).items():
        if value and not name.upper().startswith("ELCANO_"):
            os.environ.setdefault(name, value)


def split_plugin_names(text: str) -> tuple[str, ...]:
    """Split names that are separated by commas, or a JSON list of them."""
    return tuple(json.loads(text)) if text.startswith("[") else tuple(filter(None, map(str.strip, text.split(","))))


def is_set(name: str) -> bool:
    """Whether a variable of another program, such as a provider's key, is set and not empty."""
    return bool(os.environ.get(name))


def read_key_variable(name: str) -> str:
    """Return the key in a variable of another program; empty if it is not set."""
    return os.environ.get(name, "").strip()


def read_tesseract_folder() -> str:
    """Return the folder of Tesseract's data that its own variable names; empty if it is not set."""
    return os.environ.get("TESSDATA_PREFIX", "")
