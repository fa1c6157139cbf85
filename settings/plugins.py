"""The setting that names plugins, the settings that plugins add, and the findings of their checks."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from elcano.settings.environment import ENV_FILE, split_plugin_names
from elcano.settings.environment import SettingsInvalid as SettingsInvalid

T = TypeVar("T", bound=BaseModel)


class PluginSettings(BaseModel, frozen=True):
    """Which plugins this process loads."""

    plugins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="The plugins to load, separated by commas; or, each prefixed with `-`, the ones to leave out: "
        "`-data,-mcp`. `package.module:name` also loads a plugin that is not installed. Empty: all "
        "installed plugins. Set it alike for the API, all workers and the command line.",
    )

    @field_validator("plugins", mode="before")
    @classmethod
    def _split_at_commas(cls, value: Any) -> Any:
        return split_plugin_names(value) if isinstance(value, str) else value


def read_plugin_settings(part: type[T]) -> T:
    """Read settings that a plugin adds, as all others are read: `ELCANO_<FIELD>`, or a line of `.env`.

    Raises:
        SettingsInvalid: one cannot be used.
    """
    try:
        found = _define_reader(part)()
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=False, include_input=False)
        lines = (f"ELCANO_{str(fault['loc'][0]).upper()} cannot be used: {fault['msg']}" for fault in faults)
        raise SettingsInvalid("\n".join(lines)) from None
    assert isinstance(found, part)
    return found


@cache
def _define_reader(part: type[BaseModel]) -> type[BaseModel]:
    """Define the class once a process: pydantic takes longer for it than the reader for all variables."""
    config = SettingsConfigDict(env_prefix="ELCANO_", env_file=ENV_FILE, extra="ignore", frozen=True)
    return type(part.__name__, (part, BaseSettings), {"model_config": config})


def list_variables(parts: Iterable[type[BaseModel]]) -> list[str]:
    """List the variables of settings that plugins add."""
    return [f"ELCANO_{name.upper()}" for part in parts for name in part.model_fields]


@dataclass(frozen=True)
class Finding:
    """The result of one check. `remedy` says what to do about it."""

    grade: Literal["good", "note", "fault"]
    text: str
    remedy: str = ""
