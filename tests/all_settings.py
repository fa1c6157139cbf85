"""Every setting that there is, by its variable: the kernel's, then those of the built-in plugins in their order."""

from importlib import import_module
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from elcano.graphs.plugin import resolve_path
from elcano.plugins import BUILT_IN
from elcano.settings import Settings, get_variable_name, list_variables


def list_settings() -> dict[str, tuple[FieldInfo, Any]]:
    """The field and its default, as JSON has it, by variable."""
    found = {get_variable_name(name): one for name, one in _list_fields(Settings).items()}
    for plugin in (import_module(f"elcano.plugins.{name}.plugin").plugin for name in BUILT_IN):
        for path in plugin.settings:
            part: type[BaseModel] = resolve_path(plugin, path)
            found |= dict(zip(list_variables([part]), _list_fields(part).values(), strict=True))
    return found


def _list_fields(part: type[BaseModel]) -> dict[str, tuple[FieldInfo, Any]]:
    defaults = part.model_construct().model_dump(mode="json")
    return {name: (field, defaults[name]) for name, field in part.model_fields.items()}
