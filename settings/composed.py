"""All settings as one: the groups by subject, read from `ELCANO_<NAME>` or from a `.env` file."""

import json
import os
from typing import Any, Final

from pydantic import ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from elcano.settings.databases import DatabaseSettings
from elcano.settings.models import ModelSettings
from elcano.settings.plugin_choice import ENV_FILE
from elcano.settings.plugins import PluginSettings
from elcano.settings.provider_keys import is_set
from elcano.settings.server import ServerSettings
from elcano.settings.sources import SourceSettings
from elcano.settings.storage import StorageSettings
from elcano.settings.temporal import TemporalSettings

EXAMPLES: Final = {
    "collections": '{"handbook": "docs/handbook"}',
    "database_examples": '{"sales": "examples/sales.jsonl"}',
    "databases": '{"sales": "sqlite:///data/sales.db"}',
    "service_urls": '{"searxng": "http://searxng:8080"}',
    "model_urls": '{"vllm:qwen": "http://gpu:8000/v1"}',
    "agent_models": '{"writer": "anthropic:claude-sonnet-5-5"}',
    "model_rates": '{"openai": 5}',
    "mcp_servers": '{"time": {"command": "mcp-server-time"}}',
    "default_sources": '["handbook", "pubmed"]',
    "private_hosts": '["wiki.example.org"]',
    "trusted_hosts": '["research.example.org"]',
    "allowed_origins": '["https://app.example.org"]',
}
"""What to write, for the settings that are JSON."""
_OF_PATHS: Final = frozenset({"collections", "databases", "database_examples"})
"""Those of them that hold paths."""
_BACKSLASH: Final = "JSON writes a backslash twice (`C:\\\\docs`), and a path may have slashes instead (`C:/docs`)"


class Settings(
    TemporalSettings,
    ServerSettings,
    ModelSettings,
    DatabaseSettings,
    SourceSettings,
    StorageSettings,
    PluginSettings,
    BaseSettings,
):
    """Immutable once read. Its fields stand in the order of the groups from the last to the first."""

    model_config = SettingsConfigDict(env_prefix="ELCANO_", env_file=ENV_FILE, extra="ignore", frozen=True)

    @field_validator(*EXAMPLES, mode="before")
    @classmethod
    def _from_json(cls, value: Any, info: ValidationInfo) -> Any:
        if not isinstance(value, str):
            return value
        try:
            found = json.loads(value, object_pairs_hook=_each_once)
        except json.JSONDecodeError as error:
            hint = f"; {_BACKSLASH}" if "escape" in error.msg else ""
            raise ValueError(f"it is no JSON ({error.msg} at character {error.pos + 1}){hint}") from error
        if info.field_name in _OF_PATHS and _has_control_character(found):
            raise ValueError(f"a path in it has a control character: {_BACKSLASH}")
        return found

    def has(self, name: str) -> bool:
        """Whether a variable is set and not false: of ours by its setting, of others by the environment.

        `NAME[entry]` asks of a setting that is a map whether it has that entry.
        """
        name, _, entry = name.partition("[")
        own = next((field for field in Settings.model_fields if get_variable_name(field) == name), None)
        if own is None:
            return is_set(name)
        value = getattr(self, own)
        return bool(value.get(entry.removesuffix("]")) if entry and isinstance(value, dict) else value)

    def key(self, name: str) -> str:
        """The value of a variable that is not ours, such as a service's key; empty if it is not set."""
        return os.environ.get(name, "").strip() if name else ""

    def environment(self) -> dict[str, str]:
        """This process's environment with these settings in it: a child process then reads the same ones."""
        values = self.model_dump(mode="json")
        return {
            **os.environ,
            **{get_variable_name(name): format_setting_value(value) for name, value in values.items()},
        }


def _has_control_character(found: object) -> bool:
    """Whether a value has a character below the space, as a backslash that is not doubled makes one."""
    values = found.values() if isinstance(found, dict) else ()
    return any(isinstance(value, str) and any(character < " " for character in value) for value in values)


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build a JSON object, and refuse a name that occurs twice: Python would silently take the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = sorted({name for name, _ in pairs if sum(name == other for other, _ in pairs) > 1})
        raise ValueError(f"it has {', '.join(map(repr, twice))} twice")
    return found


def get_variable_name(name: str) -> str:
    """The environment variable that sets the setting `name`."""
    alias = Settings.model_fields[name].validation_alias
    return alias if isinstance(alias, str) else f"ELCANO_{name.upper()}"


def format_setting_value(value: object) -> str:
    """A setting's value as its variable has it."""
    if isinstance(value, str):
        return value
    return json.dumps(value)
