"""The only code that reads the environment: every setting, with its default and its purpose.

A setting is read from `ELCANO_<NAME>` or from a `.env` file; those that the field already has a name for keep it
(`TEMPORAL_ADDRESS`, `USE_GRAPH_EXECUTION`, provider keys). A file for each subject, put together in `composed.py`. The
table in `docs/settings.md` is compared with them by a test. Temporal's own connection settings (TLS, API key, profile)
are read by `temporalio.envconfig`.
"""

from elcano.settings.composed import Settings, get_variable_name
from elcano.settings.loader import BAD_SETTINGS, get_settings, program_settings
from elcano.settings.plugins import SettingsInvalid, list_variables, read_plugin_choice, read_plugin_settings
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
    "read_plugin_choice",
    "read_plugin_settings",
    "secrets_given",
    "short_secrets",
    "unknown_variables",
]
