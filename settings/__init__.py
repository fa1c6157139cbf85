"""The only code that reads the environment: every setting, with its default and its purpose.

A setting is read from `ELCANO_<NAME>` or from a `.env` file; settings with an established name keep it
(`TEMPORAL_ADDRESS`, `USE_GRAPH_EXECUTION`, provider keys). Each subject has a file, and `settings.py` combines them. A
test compares the table in `docs/settings.md` with them. `temporalio.envconfig` reads Temporal's own connection settings
(TLS, API key, profile).

Names are imported on first use: a program that needs one setting does not wait for all others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from elcano.settings.environment import is_set, read_key_variable
    from elcano.settings.plugins import SettingsInvalid, list_variables, read_plugin_settings
    from elcano.settings.secrets import LEAST_SECRET, list_secrets, secrets_given, short_secrets
    from elcano.settings.settings import (
        BAD_SETTINGS,
        Settings,
        get_settings,
        get_variable_name,
        program_settings,
        unknown_variables,
    )

__all__ = [
    "BAD_SETTINGS",
    "LEAST_SECRET",
    "Settings",
    "SettingsInvalid",
    "get_settings",
    "get_variable_name",
    "is_set",
    "list_secrets",
    "list_variables",
    "program_settings",
    "read_key_variable",
    "read_plugin_settings",
    "secrets_given",
    "short_secrets",
    "unknown_variables",
]

_MODULES: Final = {
    "BAD_SETTINGS": "settings",
    "LEAST_SECRET": "secrets",
    "Settings": "settings",
    "SettingsInvalid": "plugins",
    "get_settings": "settings",
    "get_variable_name": "settings",
    "is_set": "environment",
    "list_secrets": "secrets",
    "list_variables": "plugins",
    "program_settings": "settings",
    "read_key_variable": "environment",
    "read_plugin_settings": "plugins",
    "secrets_given": "secrets",
    "short_secrets": "secrets",
    "unknown_variables": "settings",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"elcano.settings has no {name!r}")
    found = globals()[name] = getattr(import_module(f"elcano.settings.{_MODULES[name]}"), name)
    return found
