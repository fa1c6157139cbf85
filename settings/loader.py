"""The settings of this process, read once; what cannot be used is said in sentences."""

import re
import sys
from functools import lru_cache
from typing import Final

from pydantic import ValidationError

from elcano.settings.composed import EXAMPLES, Settings, format_setting_value, get_variable_name
from elcano.settings.plugins import SettingsInvalid

BAD_SETTINGS: Final = 2
"""The exit code of a program that cannot use its settings: bad input, as for `elcano`."""
_WHO_IN_URL: Final = re.compile(r"(?<=://).*@")
_SECRETIVE: Final = frozenset({"databases", "mcp_servers"})
"""Settings whose values may hold passwords anywhere; nothing of them is said."""


@lru_cache(maxsize=1)
def get_settings() -> Settings:
    """The settings of this process, read once.

    Raises:
        SettingsInvalid: a variable, or a line of `.env`, cannot be used; the text has a line for each.
    """
    try:
        return Settings()
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False)
        raise SettingsInvalid(
            "\n".join(_explain_setting_fault(fault["loc"], fault["input"], fault["msg"]) for fault in faults)
        ) from None


def program_settings() -> Settings:
    """The settings of a program; it ends with a sentence and exit code 2 if they cannot be used."""
    try:
        return get_settings()
    except SettingsInvalid as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(BAD_SETTINGS)


def _explain_setting_fault(place: tuple[int | str, ...], value: object, message: str) -> str:
    """Describe what is wrong with one setting; `place` begins with its name or its variable, as pydantic reports it."""
    by_variable = {get_variable_name(one): one for one in Settings.model_fields}
    name = by_variable.get(str(place[0]), str(place[0]))
    inner = "".join(f"[{part!r}]" for part in place[1:])
    wrong = message.removeprefix("Value error, ")
    purpose = f"it is for this: {Settings.model_fields[name].description}"
    write = f"write JSON such as {EXAMPLES[name]}" if name in EXAMPLES else purpose
    shown = "[removed]" if name in _SECRETIVE else _WHO_IN_URL.sub("[removed]@", format_setting_value(value))
    said = f"{get_variable_name(name)}{inner} is {shown!r}, which cannot be used"
    return f"{said}: {wrong[:1].lower()}{wrong[1:]}; {write}"
