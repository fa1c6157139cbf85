"""The only code that reads the environment: every setting, with its default and its purpose.

A setting is read from `ELCANO_<NAME>` or from a `.env` file; those that the field already has a name for keep it
(`TEMPORAL_ADDRESS`, `USE_GRAPH_EXECUTION`, provider keys). A file for each subject, put together in `settings.py`. The
table in `docs/settings.md` is compared with them by a test. Temporal's own connection settings (TLS, API key, profile)
are read by `temporalio.envconfig`.
"""

from elcano.settings.plugins import (
    SettingsInvalid,
    is_set,
    list_variables,
    read_key_variable,
    read_plugin_choice,
    read_plugin_settings,
)
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
    "read_plugin_choice",
    "read_plugin_settings",
    "secrets_given",
    "short_secrets",
    "unknown_variables",
]
