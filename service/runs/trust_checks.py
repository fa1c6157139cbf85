"""Finds the sources and models that a run's lists and egress scope rule out, before it starts.

What is known here is refused here, by the names of the request. Everything else is refused by the workers' guards when
it is asked for: a host that only a worker's environment names, a redirect, a page.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.checks.callees import Callee
from elcano.graphs.host_names import is_private_address, parse_host
from elcano.graphs.model_names import MODEL_HOSTS, OFFLINE, PROVIDERS, ModelChoice, address_of, parse_model_provider
from elcano.graphs.trust import KINDS_OF_SOURCES, OWN_KINDS, Trust
from elcano.graphs.trust_rules import explain_contact_refusal
from elcano.service.errors import FieldFault
from elcano.service.runs.model_checks import list_called_models
from elcano.settings.environment import is_set, read_key_variable
from elcano.settings.settings import Settings

_NAMED: Final = "; name sources that fit `trust`, or change it"


def explain_source_refusal(trust: Trust, spec: SourceSpec, settings: Settings) -> str:
    """Why nothing of a source can reach a run with these rules, as far as that is known; empty if something may."""
    kind = KINDS_OF_SOURCES.get(spec.kind, "")
    if kind and (why := trust.explain_kind_refusal(kind)):
        return why
    if kind in OWN_KINDS and trust.egress == "public":
        return "it is private, and the egress of this run is public"
    if kind == "page" and trust.names_origins and not trust.allowed_domains:
        return "pages are in no journal, and no domain is allowed"
    if trust.egress != "private" or not (spec.queue or spec.by_address):
        return ""
    if spec.by_address:
        return "" if settings.private_hosts else "it reads public pages (ELCANO_PRIVATE_HOSTS names no private hosts)"
    entries = (variable.partition("[")[2].removesuffix("]") for variable in spec.any_of)
    urls = (settings.service_urls.get(name, "") for name in (spec.name, *entries))
    if any(parse_host(url) and is_private_address(url, settings.private_hosts) for url in urls):
        return ""
    return "it asks a public service, and the egress of this run is private"


def narrow_sources(
    trust: Trust,
    named: Sequence[str] | None,
    chosen: Sequence[str],
    specs: Mapping[str, SourceSpec],
    settings: Settings,
) -> tuple[tuple[str, ...], list[FieldFault]]:
    """The sources of a run without those that it cannot use, and the faults of those that its request names.

    Args:
        trust: its rules.
        named: what its request names; None: nothing.
        chosen: what it would search without rules.
        specs: of all sources.
        settings: of the server.
    """
    refused = {
        name: why for name in chosen if name in specs and (why := explain_source_refusal(trust, specs[name], settings))
    }
    faults = [
        FieldFault(field="sources", message=f"{name!r} cannot be used with `trust`: {why}")
        for name, why in refused.items()
        if name in (named or ())
    ]
    kept = tuple(name for name in chosen if name not in refused)
    if chosen and not kept and not faults:
        text = "; ".join(f"{name!r}: {why}" for name, why in refused.items())
        faults.append(FieldFault(field="trust", message=f"nothing is left to search: {text}{_NAMED}"))
    return kept, faults


def find_model_contact_faults(
    trust: Trust, callees: Sequence[Callee], models: ModelChoice, settings: Settings
) -> list[FieldFault]:
    """Which agents of a run would call a model at which host outside its egress scope, as far as that is known."""
    if trust.egress in ("any", "public"):
        return []
    agents: dict[tuple[str, str, str], dict[str, None]] = {}
    for called in list_called_models(callees, models, settings):
        for name in called.names if called.is_known else ():
            if why := _explain_model_refusal(trust, name, settings):
                agents.setdefault((called.field, name, why), {})[called.callee.agent] = None
    return [
        FieldFault(field=field, message=f"{_format_agents(names)} would call {name!r}: {why}")
        for (field, name, why), names in agents.items()
    ]


def _explain_model_refusal(trust: Trust, name: str, settings: Settings) -> str:
    if name == OFFLINE:
        return ""
    url = find_model_url(name, settings)
    host = parse_host(url)
    return host and explain_contact_refusal(trust, host, is_private=is_private_address(url, settings.private_hosts))


def find_model_url(name: str, settings: Settings) -> str:
    """The address at which a model is asked; empty if only a worker knows it."""
    provider = parse_model_provider(name)
    if address := address_of(name, settings.model_base_url, settings.model_urls):
        return address
    variables = [name for name in PROVIDERS.get(provider, ()) if name.endswith("_URL")]
    if named := next(filter(is_set, variables), ""):
        return read_key_variable(named)
    is_usual = provider in MODEL_HOSTS and (settings.shared_environment or not variables)
    return f"https://{MODEL_HOSTS[provider]}" if is_usual else ""


def _format_agents(names: Iterable[str]) -> str:
    every = list(names)
    return ", ".join(every[:10]) + (f" and {len(every) - 10} more" if len(every) > 10 else "")
