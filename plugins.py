"""Plugins: each folder of `subjects`, `doors` and `operations` is one, whole, with its object in `plugin.py`.

The built-in ones and those of other packages (entry points of the group `elcano.plugins`) are loaded alike, by name and
in a fixed order. `ELCANO_PLUGINS` names those to load, or those to leave out; a path `package.module:name` loads one
next to them that is not installed.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import entry_points
from typing import Final

from elcano.graphs.errors import InputInvalid
from elcano.graphs.plugin import KERNEL, Plugin, import_object, install_plugins
from elcano.settings.environment import read_plugin_choice

BUILT_IN: Final[Mapping[str, str]] = {
    "research": "subjects",
    "teams": "subjects",
    "documents": "subjects",
    "uploads": "subjects",
    "literature": "subjects",
    "web": "subjects",
    "data": "subjects",
    "analysis": "subjects",
    "knowledge": "subjects",
    "mcp": "subjects",
    "mcp_server": "doors",
    "openai_api": "doors",
    "ag_ui": "doors",
    "webhooks": "doors",
    "schedules": "doors",
    "batches": "doors",
    "certificates": "doors",
    "exports": "doors",
    "structured_answers": "doors",
    "evidence_tables": "doors",
    "edits": "doors",
    "access": "operations",
    "encryption": "operations",
    "telemetry": "operations",
    "quotas": "operations",
    "reconcile": "operations",
    "tenants": "operations",
    "page": "doors",
    "quoting": "subjects",
}
"""The room of each plugin, in the order in which what they add is shown."""
REQUIRED: Final = "research"
"""The plugin that cannot be left out."""
GROUP: Final = "elcano.plugins"
"""The group of entry points; each names the object, as `acme_weather.plugin:plugin`."""


_log = logging.getLogger("plugins")


def load_plugins(choice: Sequence[str] | None = None) -> None:
    """Load the plugins that `choice` names, or with `-` before every name all but those; None: as the settings say.

    With a plugin those are left out that need it.

    Raises:
        InputInvalid: a plugin is unknown, cannot be imported, or needs one that is not named.
    """
    offered = {name: f"elcano.{room}.{name}.plugin:plugin" for name, room in BUILT_IN.items()} | _list_entry_points()
    named = read_plugin_choice() if choice is None else choice
    external = [path for path in named if ":" in path]
    names = select_plugins([name for name in named if ":" not in name], offered)
    found = [
        *(_import_plugin(offered[name], f"the plugin {name!r}") for name in names),
        *(_import_plugin(path, "ELCANO_PLUGINS") for path in external),
    ]
    if any(name.startswith("-") for name in named):
        found = _without_needy(found)
    _require_needed(found)
    loaded = {plugin.name for plugin in found}
    install_plugins([KERNEL, *found], _import_left_out({name: offered[name] for name in offered if name not in loaded}))


def select_plugins(choice: Iterable[str], offered: Mapping[str, str]) -> list[str]:
    """The names of the plugins to load, in the order in which they are offered.

    Raises:
        InputInvalid: the choice names an unknown plugin, mixes both forms, or leaves out `research`.
    """
    named = [name.strip() for name in choice if name.strip()]
    left_out = {name.removeprefix("-") for name in named if name.startswith("-")}
    taken = {name for name in named if not name.startswith("-")}
    if left_out and taken:
        raise InputInvalid("plugins", "name either the plugins to load, or with `-` before each those to leave out")
    if unknown := sorted((left_out | taken) - set(offered)):
        raise InputInvalid("plugins", f"there is no plugin {unknown[0]!r}; there are: {', '.join(offered)}")
    if REQUIRED in left_out or (taken and REQUIRED not in taken):
        raise InputInvalid("plugins", f"the plugin {REQUIRED!r} cannot be left out")
    return [name for name in offered if name not in left_out and (not taken or name in taken)]


def _list_entry_points() -> dict[str, str]:
    """The plugins of other packages, by name."""
    found = {one.name: one.value for one in sorted(entry_points(group=GROUP), key=lambda one: one.name)}
    if taken := sorted(found.keys() & set(BUILT_IN)):
        raise InputInvalid(
            "plugins", f"a package adds a plugin {taken[0]!r}, which is built in; rename its entry point"
        )
    return found


def _import_plugin(path: str, named_by: str) -> Plugin:
    found = import_object(path, named_by)
    if not isinstance(found, Plugin):
        raise InputInvalid("plugins", f"{path} is no Plugin")
    return found


def _import_left_out(offered: Mapping[str, str]) -> list[Plugin]:
    """The plugins that are not loaded; one that cannot be imported is only named."""
    found = []
    for name, path in offered.items():
        try:
            found.append(_import_plugin(path, name))
        except InputInvalid:
            found.append(Plugin(name=name, description="", package=""))
    return found


def _without_needy(found: Sequence[Plugin]) -> list[Plugin]:
    """Return the plugins whose needs are met; the others are left out with what they need, which is logged."""
    kept = list(found)
    while lacking := [plugin for plugin in kept if not {one.name for one in kept}.issuperset(plugin.needs)]:
        for plugin in lacking:
            _log.info("the plugin %r is left out too: it needs %s", plugin.name, ", ".join(plugin.needs))
            kept.remove(plugin)
    return kept


def _require_needed(found: Sequence[Plugin]) -> None:
    names = {plugin.name for plugin in found}
    for plugin in found:
        if missing := [name for name in plugin.needs if name not in names]:
            text = f"the plugin {plugin.name!r} needs {missing[0]!r}: name that too in ELCANO_PLUGINS"
            raise InputInvalid("plugins", text)
