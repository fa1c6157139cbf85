"""All settings as one, read once from `ELCANO_<NAME>` or a `.env` file; invalid and unknown variables are reported."""

import json
import os
import re
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, DotEnvSettingsSource, SettingsConfigDict

from elcano.settings.deployment import ServerSettings, StorageSettings, TemporalSettings
from elcano.settings.environment import ENV_FILE, is_set, is_turned_on, load_other_variables
from elcano.settings.plugins import PluginSettings, SettingsInvalid
from elcano.settings.research import DatabaseSettings, ModelSettings, SourceSettings

EXAMPLES: Final = {
    "collections": '{"handbook": "docs/handbook"}',
    "database_examples": '{"sales": "examples/sales.jsonl"}',
    "databases": '{"sales": "sqlite:///data/sales.db"}',
    "service_urls": '{"searxng": "http://searxng:8080"}',
    "model_urls": '{"vllm:qwen": "http://gpu:8000/v1"}',
    "agent_models": '{"writer": "anthropic:claude-sonnet-5-5"}',
    "model_prices": '{"sambanova": {"input": 0.6, "output": 1.2}}',
    "model_rates": '{"openai": 5}',
    "mcp_servers": '{"time": {"command": "mcp-server-time"}}',
    "default_sources": '["handbook", "pubmed"]',
    "private_hosts": '["wiki.example.org"]',
    "trusted_hosts": '["research.example.org"]',
    "allowed_origins": '["https://app.example.org"]',
}
"""Examples of values, for the settings that are JSON."""
_OF_PATHS: Final = frozenset({"collections", "databases", "database_examples"})
"""The JSON settings that hold paths."""
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
        except RecursionError:
            raise ValueError("it is nested too deeply") from None
        if info.field_name in _OF_PATHS and _has_control_character(found):
            raise ValueError(f"a path in it has a control character: {_BACKSLASH}")
        return found

    def has(self, name: str) -> bool:
        """Whether a variable is set and not false: one of ours by its setting, a plugin's by the environment or `.env`.

        Those of other programs count by the environment alone.

        `NAME[entry]` asks of a setting that is a map whether it has that entry.
        """
        name, _, entry = name.partition("[")
        own = next((field for field in Settings.model_fields if get_variable_name(field) == name), None)
        if own is None:
            return is_turned_on(name) if name.startswith(PREFIX) else is_set(name)
        value = getattr(self, own)
        return bool(value.get(entry.removesuffix("]")) if entry and isinstance(value, dict) else value)

    def key(self, name: str) -> str:
        """The value of a variable of another program, such as a service's key; empty if it is not set."""
        return os.environ.get(name, "").strip() if name else ""

    def environment(self) -> dict[str, str]:
        """Return this process's environment with these settings in it: a child process then reads the same ones."""
        values = self.model_dump(mode="json")
        return {
            **os.environ,
            **{get_variable_name(name): format_setting_value(value) for name, value in values.items()},
        }


def _has_control_character(found: object) -> bool:
    """Whether a value has a control character, as a backslash that is not doubled produces one."""
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
    """Return the environment variable of the setting `name`."""
    alias = Settings.model_fields[name].validation_alias
    return alias if isinstance(alias, str) else f"ELCANO_{name.upper()}"


def format_setting_value(value: object) -> str:
    """Format a setting's value as its variable has it."""
    if isinstance(value, str):
        return value
    return json.dumps(value)


BAD_SETTINGS: Final = 2
"""The exit code of a program that cannot use its settings: bad input, as for `elcano`."""
_WHO_IN_URL: Final = re.compile(r"(?<=://).*@")
_SECRETIVE: Final = frozenset({"databases", "mcp_servers"})
"""Settings whose values may hold passwords anywhere; errors show nothing of them."""


@lru_cache(maxsize=1)
def get_settings() -> Settings:
    """Return the settings of this process, read once.

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
    """Return the settings of a program; if they are invalid, it ends with a sentence and exit code 2.

    Variables of other programs that stand in `.env` are set too: providers' clients read their keys from there alone.
    """
    try:
        load_other_variables()
        return get_settings()
    except SettingsInvalid as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(BAD_SETTINGS)


def refuse_arguments(purpose: str | None) -> None:
    """End a program that takes no arguments and was given some: `--help` shows its purpose, all else is a fault."""
    if len(sys.argv) == 1:
        return
    asked = {"-h", "--help"} & set(sys.argv[1:])
    said = purpose if asked else f"this program takes no arguments, and was given {' '.join(sys.argv[1:])!r}"
    (sys.stdout if asked else sys.stderr).write(f"{said}\n{_HOW_TO_SET}\n")
    sys.exit(0 if asked else BAD_SETTINGS)


_HOW_TO_SET: Final = "Settings are variables of the environment or lines of .env: see docs/settings.md."


def _explain_setting_fault(place: tuple[int | str, ...], value: object, message: str) -> str:
    """Describe the fault of one setting; `place` begins with its name or its variable, as pydantic reports it."""
    by_variable = {get_variable_name(one): one for one in Settings.model_fields}
    name = by_variable.get(str(place[0]), str(place[0]))
    inner = "".join(f"[{part!r}]" for part in place[1:])
    wrong = message.removeprefix("Value error, ")
    purpose = f"it is for this: {Settings.model_fields[name].description}"
    write = f"write JSON such as {EXAMPLES[name]}" if name in EXAMPLES else purpose
    shown = "[removed]" if name in _SECRETIVE else _WHO_IN_URL.sub("[removed]@", format_setting_value(value))
    said = f"{get_variable_name(name)}{inner} is {shown!r}, which cannot be used"
    return f"{said}: {wrong[:1].lower()}{wrong[1:]}; {write}"


PREFIX: Final = "ELCANO_"
OF_COMPOSE: Final = frozenset({"ELCANO_DOCUMENTS"})
"""Variables that `docker-compose.yml` reads; they may be in the same `.env`."""
_CLOSE: Final = 0.75


def unknown_variables(of_plugins: Iterable[str] = ()) -> list[str]:
    """Return a sentence for each variable of the environment or of `.env` that begins with `ELCANO_` and sets nothing.

    `of_plugins` are variables that plugins add.
    """
    known = {*(get_variable_name(name) for name in Settings.model_fields), *of_plugins}
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
