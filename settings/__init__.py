"""The only code that reads the environment: every setting, with its default and its purpose.

A setting is read from `ELCANO_<NAME>` or from a `.env` file; those that the field already has a name for keep it
(`TEMPORAL_ADDRESS`, `USE_GRAPH_EXECUTION`, provider keys). A file for each subject, put together in `composed.py`. The
table in `docs/settings.md` is compared with them by a test. Temporal's own connection settings (TLS, API key, profile)
are read by `temporalio.envconfig`.
"""

from elcano.settings.composed import Settings, variable
from elcano.settings.keys import is_set, key
from elcano.settings.reading import BAD_SETTINGS, SettingsInvalid, program_settings, settings
from elcano.settings.secrecy import LEAST_SECRET, secrets, secrets_given, short_secrets
from elcano.settings.unknown import unknown_variables

__all__ = [
    "BAD_SETTINGS",
    "LEAST_SECRET",
    "Settings",
    "SettingsInvalid",
    "is_set",
    "key",
    "program_settings",
    "secrets",
    "secrets_given",
    "settings",
    "short_secrets",
    "unknown_variables",
    "variable",
]
