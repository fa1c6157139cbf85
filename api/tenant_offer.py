"""The part of the operator's set-up that a tenant is offered."""

from elcano.api.source_survey import SourceCatalogue
from elcano.graphs.mode_choice import MODES
from elcano.graphs.tenants import Allowance
from elcano.settings.settings import Settings


def narrow_offer(
    settings: Settings, sources: SourceCatalogue, allowance: Allowance
) -> tuple[Settings, SourceCatalogue]:
    """The settings and the sources of a tenant with this allowance: what it may not use is not there."""
    databases = {name: url for name, url in settings.databases.items() if allowance.allows("databases", name)}
    barred = allowance.find_barred_parts("sources")
    names = {
        name
        for name in sources.specs
        if (name in databases if name in settings.databases else allowance.allows("sources", name))
        and name not in barred
    }
    narrowed = settings.model_copy(
        update={
            "databases": databases,
            "collections": {name: folder for name, folder in settings.collections.items() if name in names},
            "mcp_servers": {
                name: server for name, server in settings.mcp_servers.items() if allowance.allows("tools", name)
            },
            "default_sources": tuple(name for name in settings.default_sources if name in names),
        }
    )
    return narrowed, sources.narrow(names)


def list_barred_modes(allowance: Allowance) -> dict[str, str]:
    """The built-in modes that a tenant may not use, each with the reason."""
    of_plugins = {
        name: allowance.explain_refusal("plugins", plugin)
        for name, plugin in allowance.find_barred_parts("modes").items()
    }
    named = {name: allowance.explain_refusal("modes", name) for name in MODES if not allowance.allows("modes", name)}
    return of_plugins | named
