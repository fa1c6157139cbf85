"""Tenants: their names, ids of runs, names of users, and what of the operator's a tenant may use.

A tenant is a short name that goes into ids, keys, queries and search attributes as it is. Nothing of one tenant is
readable by another. The tenant of a request is determined in one place (`api/http/request_identity.py`); from then on
it is a field of every request and call, and is never parsed out of an id.

Of sources, databases, tool servers, models, modes and plugins the API offers a tenant nothing that it may not use, and
accepts no run that names something else. A worker checks the names that a run's tools are called with once more: what a
model answers may name anything.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Frozen
from elcano.graphs.plugin import KERNEL, list_plugins, open_part, resolve_path

NAME_CHARACTERS: Final = 200
"""Maximum length of a user's name."""


def fault_of(name: str) -> str | None:
    """Explain why a text cannot be a user's name; None if it can. The empty name represents no user."""
    if len(name) > NAME_CHARACTERS:
        return f"it has {len(name)} characters, of which a name has {NAME_CHARACTERS} at most"
    if name != name.strip():
        return "it begins or ends with white space"
    for position, character in enumerate(name):
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            return f"it has the character U+{ord(character):04X} at position {position}, which cannot be seen"
    return None


def insert_requester(text: str, by: str) -> str:
    """Add the user to the text of a request: `Asked to stop: enough` becomes `Asked to stop by alice: enough`."""
    if not by:
        return text
    action, colon, words = text.partition(":")
    return f"{action} by {by}{colon}{words}"


SLUG: Final = r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?"
"""1 to 40 small letters, digits and hyphens; a hyphen neither first nor last."""
RUN_ID: Final = rf"{SLUG}-[0-9a-z]{{1,26}}"
"""The form of a run's id, tenant and ULID; of a branch it has a full stop and more behind it."""

Tenant: TypeAlias = Annotated[str, Field(pattern=rf"^{SLUG}$")]
DEFAULT_TENANT: Final = "default"
"""The tenant of every client unless a proxy names tenants."""


class RunScoped(Frozen):
    """The base of activity inputs that concern a run."""

    run_id: str
    tenant: Tenant = DEFAULT_TENANT
    """The tenant of the run, and so of the data that the activity stores."""


_SLUG: Final = re.compile(SLUG, re.ASCII)


def is_tenant(text: str) -> bool:
    """Whether `text` may be a tenant's name."""
    return _SLUG.fullmatch(text) is not None


def run_id(tenant: str, ulid: str) -> str:
    """The id of a tenant's run: also its workflow's, and the beginning of its branches'. A tenant's sort by time."""
    return f"{tenant}-{ulid.lower()}"


Kind: TypeAlias = Literal["sources", "databases", "tools", "models", "modes", "plugins"]
Patterns: TypeAlias = tuple[str, ...] | None
"""Names, in which `*` represents any characters; None: everything."""

_SINGULAR: Final[Mapping[Kind, str]] = {
    "sources": "source",
    "databases": "database",
    "tools": "tool server",
    "models": "model",
    "modes": "mode",
    "plugins": "plugin",
}
_NAMED_BY: Final[Mapping[str, Kind]] = {
    "source": "sources",
    "database": "databases",
    "server": "tools",
    "servers": "tools",
}
"""Fields of the inputs of tools that name something, by what they name."""


class Allowance(Frozen):
    """Everything that one tenant may use. A kind that is left out is not limited."""

    sources: Patterns = Field(default=None, description="Sources that are no databases.")
    databases: Patterns = None
    tools: Patterns = Field(default=None, description="Tool servers (MCP).")
    models: Patterns = Field(default=None, description="Models, as `openai:*`; `offline` needs no permission.")
    modes: Patterns = Field(default=None, description="Built-in modes.")
    plugins: Patterns = Field(default=None, description="Plugins: their modes, sources, agents and tools.")

    def allows(self, kind: Kind, name: str) -> bool:
        """Whether it may use what has this name."""
        patterns: Patterns = getattr(self, kind)
        return patterns is None or any(_matches_pattern(name, pattern) for pattern in patterns)

    def explain_refusal(self, kind: Kind, name: str) -> str:
        """Say that it may not use something, and what it may use instead."""
        patterns: Patterns = getattr(self, kind)
        allowed = ", ".join(patterns or ()) or "none"
        return f"your tenant may not use the {_SINGULAR[kind]} {name!r}; it may use: {allowed}"

    def find_barred_parts(self, kind: Literal["agents", "tools", "modes", "sources"]) -> dict[str, str]:
        """The agents, tools, modes or sources of plugins that it may not use, by name, with the plugin of each."""
        if self.plugins is None:
            return {}
        barred = (one for one in list_plugins() if one is not KERNEL and not self.allows("plugins", one.name))
        found = ((plugin, resolve_path(plugin, path)) for plugin in barred for path in getattr(plugin, kind))
        return {
            one.name: plugin.name
            for plugin, objects in found
            for one in (objects if isinstance(objects, tuple) else (objects,))
        }

    def require_tool_call(self, tool: str, given: Mapping[str, Any]) -> None:
        """Refuse a call of a tool, if the tool or something that its input names may not be used.

        Raises:
            InputInvalid: naming it.
        """
        if (plugin := self.find_barred_parts("tools").get(tool)) is not None:
            raise InputInvalid("tool", self.explain_refusal("plugins", plugin))
        for field, kind, name in list_named(given):
            if kind == "sources" and name in self.find_barred_parts("sources"):
                raise InputInvalid(field, self.explain_refusal("plugins", self.find_barred_parts("sources")[name]))
            # A database is a source too, by its name.
            if not self.allows(kind, name) and not (
                kind == "sources" and self.databases is not None and self.allows("databases", name)
            ):
                raise InputInvalid(field, self.explain_refusal(kind, name))


EVERYTHING: Final = Allowance()
AllowanceOf: TypeAlias = Callable[[Tenant], Allowance]


def open_allowances(settings: Any) -> AllowanceOf:
    """Return the function that gives a tenant's allowance: everything, unless a plugin limits it.

    Raises:
        InputInvalid: what says so cannot be read, or two plugins say it.
    """
    found: AllowanceOf | None = open_part("allowance", settings)
    return found or (lambda tenant: EVERYTHING)


def _matches_pattern(name: str, pattern: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name, re.DOTALL) is not None


def list_named(given: Mapping[str, Any]) -> Iterator[tuple[str, Kind, str]]:
    """The field, kind and name of what a tool's input names, also below; no server named means all of them, as `*`."""
    for field, value in given.items():
        if isinstance(value, Mapping):
            yield from list_named(value)
        elif field == "servers" and isinstance(value, list | tuple):
            yield from ((field, _NAMED_BY[field], str(one)) for one in value or ("*",))
        elif field in _NAMED_BY and isinstance(value, str):
            yield field, _NAMED_BY[field], value
