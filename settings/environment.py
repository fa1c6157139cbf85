"""Variables that are read by themselves: the choice of plugins, and variables of other programs, such as keys.

The plugins decide which other settings exist. Nothing large is imported here: `elcano --help` lists the commands of
plugins, and answers at once.
"""

import json
import os
from io import StringIO
from pathlib import Path
from typing import Final

ENV_FILE: Final = ".env"
_VARIABLE: Final = "ELCANO_PLUGINS"
MOST_CHARACTERS: Final = 30_000
"""Maximum length of a variable: Linux starts no program with one of more than 128 KiB."""
_OF_LOADERS: Final = ("LD_", "DYLD_", "PYTHON")
"""Beginnings of variables that are read while a program is loaded. From a file they would come too late for this one,
and change what code the programs run that it starts."""
_FALSE: Final = frozenset({"", "0", "f", "false", "n", "no", "off"})
"""Values that pydantic reads as false, and the empty one."""


class SettingsInvalid(Exception):
    """A variable is not valid. The text names it and says what is wrong and what to write."""


def read_plugin_choice() -> tuple[str, ...]:
    """Return the plugins that the environment names, or else `.env`."""
    return split_plugin_names(_read_own_variable(_VARIABLE))


def is_turned_on(name: str) -> bool:
    """Whether a variable of Elcano's own, such as a plugin's setting, is set and not false."""
    return _read_own_variable(name).strip().lower() not in _FALSE


def _read_own_variable(name: str) -> str:
    """The text of a variable in the environment, or else in `.env`; the case of its name does not matter."""
    values = {name.upper(): value for name, value in (_read_env_file() | dict(os.environ)).items()}
    return values.get(name.upper()) or ""


def _read_env_file() -> dict[str, str | None]:
    """Return the lines of `.env`; none if there is no such file.

    Raises:
        SettingsInvalid: it cannot be read.
    """
    if not Path(ENV_FILE).is_file():
        return {}
    from dotenv import dotenv_values
    from dotenv.parser import parse_stream

    place = Path(ENV_FILE).absolute()
    try:
        text = place.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise SettingsInvalid(f"{place} is not in UTF-8: save it in this encoding") from None
    except OSError as error:
        raise SettingsInvalid(f"{place} cannot be read: {error.strerror}") from None
    for line in parse_stream(StringIO(text)):
        if line.error:  # dotenv leaves it out: a key with a quote that is not closed would seem not to be set
            fault = f"line {line.original.line} cannot be read: write NAME=value, and close every quote"
            raise SettingsInvalid(f"{place}: {fault}")
    return dotenv_values(stream=StringIO(text))


def load_other_variables() -> None:
    """Set variables of other programs, such as providers' keys, that stand in `.env` and not in the environment.

    Raises:
        SettingsInvalid: `.env` cannot be read, or a variable in it cannot be set.
    """
    for name, value in _read_env_file().items():
        if not value or name.upper().startswith(("ELCANO_", *_OF_LOADERS)):
            continue
        if "\0" in name + value or "=" in name or len(value) > MOST_CHARACTERS:
            raise SettingsInvalid(
                f"{Path(ENV_FILE).absolute()}: the variable {name[:60]!r} cannot be set: a name has no '=', a value at "
                f"most {MOST_CHARACTERS:,} characters, and neither a NUL"
            )
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
