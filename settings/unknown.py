"""Variables that begin as settings do and are none: a misspelt one is otherwise a setting that silently does nothing.

They are a warning, not an error: a variable of a newer version must not keep an older one from starting.
"""

import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from pydantic_settings import DotEnvSettingsSource

from elcano.settings.composed import Settings, get_variable_name

PREFIX: Final = "ELCANO_"
OF_COMPOSE: Final = frozenset({"ELCANO_DOCUMENTS"})
"""Variables that `docker-compose.yml` reads; they may stand in the same `.env`."""
_CLOSE: Final = 0.75


def unknown_variables(beside: Iterable[str] = ()) -> list[str]:
    """A sentence for each variable of the environment or of `.env` that begins with `ELCANO_` and sets nothing.

    `beside` are variables that plugins add.
    """
    known = {*(get_variable_name(name) for name in Settings.model_fields), *beside}
    file = Settings.model_config.get("env_file")
    assert isinstance(file, str)
    written = DotEnvSettingsSource(Settings, env_file=file).env_vars if Path(file).is_file() else {}
    places = {name.upper(): f"in the file {file!r}" for name in written} | {
        name.upper(): "in the environment" for name in os.environ
    }
    return [
        f"{name} {place} is no setting: {_suggest_variable(name, known)}"
        for name, place in sorted(places.items())
        if name.startswith(PREFIX) and name not in known | OF_COMPOSE
    ]


def _suggest_variable(name: str, known: set[str]) -> str:
    bare = name.removeprefix(PREFIX)
    near = [bare] if bare in known else get_close_matches(name, sorted(known), n=1, cutoff=_CLOSE)
    return f"did you mean {near[0]}?" if near else "docs/settings.md lists them all; remove it if nothing else reads it"
