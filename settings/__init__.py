"""The only code that reads the environment: every setting, with its default and its purpose.

A setting is read from `ELCANO_<NAME>` or from a `.env` file; those that the field already has a name for keep it
(`TEMPORAL_ADDRESS`, `USE_GRAPH_EXECUTION`, provider keys). A file for each subject, put together in `composed.py`. The
table in `docs/settings.md` is compared with them by a test. Temporal's own connection settings (TLS, API key, profile)
are read by `temporalio.envconfig`.

Names are imported when they are asked for: a program that needs one setting does not wait for all others.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from elcano.settings.composed import Settings, get_variable_name
    from elcano.settings.loader import BAD_SETTINGS, get_settings, program_settings
    from elcano.settings.plugins import SettingsInvalid, list_variables, read_plugin_settings
    from elcano.settings.provider_keys import is_set, read_key_variable
    from elcano.settings.secrecy import LEAST_SECRET, list_secrets, secrets_given, short_secrets
    from elcano.settings.unknown import unknown_variables

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
    "BAD_SETTINGS": "loader",
    "LEAST_SECRET": "secrecy",
    "Settings": "composed",
    "SettingsInvalid": "plugins",
    "get_settings": "loader",
    "get_variable_name": "composed",
    "is_set": "provider_keys",
    "list_secrets": "secrecy",
    "list_variables": "plugins",
    "program_settings": "loader",
    "read_key_variable": "provider_keys",
    "read_plugin_settings": "plugins",
    "secrets_given": "secrecy",
    "short_secrets": "secrecy",
    "unknown_variables": "unknown",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"elcano.settings has no {name!r}")
    found = globals()[name] = getattr(import_module(f"elcano.settings.{_MODULES[name]}"), name)
    return found
