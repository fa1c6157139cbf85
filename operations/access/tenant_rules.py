"""The operator's file that says what each tenant may use, in TOML or JSON.

    [default]  # tenants that are not named below
    sources = ["handbook", "pubmed"]
    models = ["offline"]

    [tenants.acme]
    models = ["openai:*", "anthropic:claude-*"]
    databases = []  # none

What is left out of an entry is not limited. An entry of a tenant is complete: nothing of `default` is added.
"""

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Frozen
from elcano.graphs.mode_choice import MODES
from elcano.graphs.plugin import list_plugins
from elcano.graphs.tenants import EVERYTHING, Allowance, AllowanceOf, Kind, Tenant
from elcano.operations.access.settings import AccessSettings
from elcano.settings import read_plugin_settings
from elcano.settings.plugins import Finding
from elcano.settings.settings import Settings

SETTING = "ELCANO_TENANTS"


class TenantRules(Frozen):
    """Allowances of each tenant."""

    default: Allowance = EVERYTHING
    """For tenants without an entry."""
    tenants: dict[Tenant, Allowance] = {}
    """By tenant."""

    def allowance_of(self, tenant: Tenant) -> Allowance:
        """The things that a tenant may use."""
        return self.tenants.get(tenant, self.default)


def read_tenant_rules(file: Path) -> TenantRules:
    """Read the file.

    Raises:
        InputInvalid: it cannot be read, or says something that means nothing; all faults are named.
    """
    try:
        text = file.read_text(encoding="utf-8")
        found: Any = json.loads(text) if file.suffix == ".json" else tomllib.loads(text)
        return TenantRules.model_validate(found)
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputInvalid("tenants", f"{SETTING}: {str(file)!r} cannot be read: {error}") from error
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        lines = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in faults)
        raise InputInvalid("tenants", f"{SETTING}: {str(file)!r} cannot be used: {lines}") from error


def open_tenant_rules(settings: Settings) -> AllowanceOf | None:
    """Open the allowances of tenants; None: there is no file."""
    chosen = read_plugin_settings(AccessSettings)
    return read_tenant_rules(Path(chosen.tenants)).allowance_of if chosen.tenants else None


def check_tenant_rules(settings: Settings) -> Iterable[Finding]:
    """Whether the file can be read, and every name in it is one that there is."""
    chosen = read_plugin_settings(AccessSettings)
    if not chosen.tenants:
        return
    try:
        rules = read_tenant_rules(Path(chosen.tenants))
    except InputInvalid as error:
        yield Finding("fault", str(error), "correct the file, or the setting")
        return
    known: dict[Kind, Iterable[str]] = {
        "databases": settings.databases,
        "tools": settings.mcp_servers,
        "modes": MODES,
        "plugins": [plugin.name for plugin in list_plugins()],
    }
    strange = [
        f"{place}.{kind}: {name!r}"
        for place, allowance in {"default": rules.default, **rules.tenants}.items()
        for kind, names in known.items()
        for name in getattr(allowance, kind) or ()
        if "*" not in name and name not in names
    ]
    if strange:
        yield Finding("note", f"{SETTING} names what is not there: {', '.join(strange)}", "correct the names")
    else:
        yield Finding("good", f"{SETTING}: rules for {len(rules.tenants)} tenants")
