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
    from elcano.settings.environment import is_set as is_set
    from elcano.settings.environment import read_key_variable as read_key_variable
    from elcano.settings.plugins import SettingsInvalid as SettingsInvalid
    from elcano.settings.plugins import list_variables as list_variables
    from elcano.settings.plugins import read_plugin_settings as read_plugin_settings
    from elcano.settings.secrets import LEAST_SECRET as LEAST_SECRET
    from elcano.settings.secrets import list_secrets as list_secrets
    from elcano.settings.secrets import secrets_given as secrets_given
    from elcano.settings.secrets import short_secrets as short_secrets
    from elcano.settings.settings import BAD_SETTINGS as BAD_SETTINGS
    from elcano.settings.settings import Settings as Settings
    from elcano.settings.settings import get_settings as get_settings
    from elcano.settings.settings import get_variable_name as get_variable_name
    from elcano.settings.settings import program_settings as program_settings
    from elcano.settings.settings import unknown_variables as unknown_variables

_NAMES: Final = {
    "environment": ("is_set", "read_key_variable"),
    "plugins": ("SettingsInvalid", "list_variables", "read_plugin_settings"),
    "secrets": ("LEAST_SECRET", "list_secrets", "secrets_given", "short_secrets"),
    "settings": (
        "BAD_SETTINGS",
        "Settings",
        "get_settings",
        "get_variable_name",
        "program_settings",
        "unknown_variables",
    ),
}
_MODULES: Final = {name: module for module, names in _NAMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"elcano.settings has no {name!r}")
    found = globals()[name] = getattr(import_module(f"elcano.settings.{_MODULES[name]}"), name)
    return found
