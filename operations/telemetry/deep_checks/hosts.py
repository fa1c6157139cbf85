"""Every host that a run would ask, by what asks it, and whether it answers: nothing is asked that costs money.

A host is sent one `HEAD`; any status is an answer. Its `Date` says how far this machine's clock is off.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from statistics import median
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from elcano.activities.calls.models import in_order, resolve_model
from elcano.activities.sources.base import AsksServers
from elcano.activities.sources.registry import open_sources
from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.errors import ModelRefused
from elcano.graphs.model_names import OFFLINE, PROVIDERS, ModelChoice, model_names, parse_model_provider
from elcano.operations.telemetry.settings import read_telemetry_settings
from elcano.redaction import without_secrets
from elcano.settings import Settings, get_variable_name, is_set
from elcano.settings.plugins import Finding

ANSWER_SECONDS: Final = 10.0
"""Timeout of a host's response, in seconds; all are asked at once."""
SLOW_SECONDS: Final = 2.0
"""From here on an answer is reported as slow."""
MOST_SKEW: Final = 5.0
"""Seconds by which this clock may be off: signatures, tokens and certificates depend on it."""
COLLECTOR: Final = "http://localhost:4318"
_VARIES: Final = "{"
"""In an address a place-holder, such as Wikipedia's language."""


@dataclass(frozen=True)
class Asked:
    """Host to ask, and who asks it."""

    who: str
    address: str
    needed: bool
    """Whether runs cannot do without it."""


@dataclass(frozen=True)
class Answered:
    """Response of a host."""

    seconds: float = 0.0
    skew: float | None = None
    """Seconds by which this clock is ahead of the host's."""
    error: str = ""


def check_hosts(settings: Settings) -> Iterable[Finding]:
    """Report the host that each agent, source and tool asks, and how it answers."""
    asked = [*_list_models(settings), *_list_sources(settings), *_list_tools(settings), *_list_others(settings)]
    callers: dict[str, list[Asked]] = defaultdict(list)
    for one in asked:
        if isinstance(one, Finding):
            yield one
        else:
            callers[find_origin(one.address)].append(one)
    answers = asyncio.run(_ask_all(callers, settings))
    for origin, answer in answers.items():
        yield _describe_answer(origin, callers[origin], answer)
    skews = [answer.skew for origin, answer in answers.items() if answer.skew is not None and not is_local(origin)]
    if skews:
        yield describe_skew(median(skews))
    else:
        yield Finding("note", "clock: no other machine reported its time, so this clock could not be compared")


def find_origin(address: str) -> str:
    """Return scheme, host and port of an address, without who signs in there."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def is_local(origin: str) -> bool:
    """Whether an address is one of this machine, which has this clock."""
    return urlsplit(origin).hostname in ("localhost", "127.0.0.1", "::1")


def describe_skew(skew: float) -> Finding:
    """Report how far this clock is ahead of those of others."""
    if abs(skew) <= MOST_SKEW:
        return Finding("good", f"clock: within {MOST_SKEW:g} s of the hosts that answered")
    way = "ahead of" if skew > 0 else "behind"
    return Finding("fault", f"clock: {abs(skew):.0f} s {way} the hosts that answered", "set it, and let NTP keep it")


def _list_models(settings: Settings) -> Iterator[Asked | Finding]:
    agents: dict[str, list[str]] = defaultdict(list)
    for agent in AGENTS:
        agents[settings.agent_models.get(agent, settings.model)].append(agent)
    for text, names in agents.items():
        who = "all agents" if len(agents) == 1 else ", ".join(names)
        yield from _list_hosts_of_model(text, who, names[0], settings)


def _list_hosts_of_model(text: str, who: str, agent: str, settings: Settings) -> Iterator[Asked | Finding]:
    try:
        models = in_order(resolve_model(ModelChoice(), agent, settings))
    except ModelRefused as error:
        yield Finding("fault", f"model {text} ({who}): {without_secrets(str(error))}")
        return
    for name, model in zip(model_names(text), models, strict=True):
        if model.system == OFFLINE:
            yield Finding("good", f"model offline ({who}): asks no host")
        elif model.base_url:
            yield Asked(f"model {name} ({who}), {_describe_key(name)}", model.base_url, needed=True)
        else:
            yield Finding("note", f"model {name} ({who}): its client does not say which host it asks")


def _describe_key(model: str) -> str:
    variables = PROVIDERS.get(parse_model_provider(model), ())
    given = [name for name in variables if is_set(name)]
    return f"key {given[0]}" if given else "no key"


def _list_sources(settings: Settings) -> Iterator[Asked | Finding]:
    for name, addresses in asyncio.run(_read_addresses(settings)).items():
        for address in addresses:
            if _VARIES in address:
                address = address.replace(address[address.index(_VARIES) : address.index("}") + 1], "en")
            yield Asked(f"source {name}", address, needed=False)
        if not addresses:
            yield Finding("good", f"source {name}: asks no host that is known from the start")


async def _read_addresses(settings: Settings) -> Mapping[str, tuple[str, ...]]:
    async with open_sources(settings) as sources:
        opened = {name: sources.get(name) for name in sources.names}
        return {name: one.addresses if isinstance(one, AsksServers) else () for name, one in opened.items()}


def _list_tools(settings: Settings) -> Iterator[Asked | Finding]:
    for name, server in settings.mcp_servers.items():
        if url := server.get("url"):
            yield Asked(f"server of tools {name}", str(url), needed=False)
        else:
            yield Finding("good", f"server of tools {name}: a program on this machine ({_show_command(server)})")


def _show_command(server: Mapping[str, Any]) -> str:
    return without_secrets(str(server.get("command", "")))


def _list_others(settings: Settings) -> Iterator[Asked | Finding]:
    where = f"the encoder in {settings.embeddings}, on this machine" if settings.embeddings else "none are set"
    yield Finding("good", f"embeddings: {where}; no host is asked")
    if settings.proxy:
        yield Asked(f"{get_variable_name('proxy')}, for sources and pages", settings.proxy, needed=True)
    if read_telemetry_settings().traces:
        address = settings.key("OTEL_EXPORTER_OTLP_ENDPOINT") or COLLECTOR
        yield Asked("the collector of traces", address, needed=False)


async def _ask_all(callers: Mapping[str, list[Asked]], settings: Settings) -> dict[str, Answered]:
    async def ask(origin: str) -> Answered:
        of_source = any(one.who.startswith("source ") for one in callers[origin])
        proxy = settings.proxy if of_source and settings.proxy else None
        async with httpx.AsyncClient(timeout=ANSWER_SECONDS, proxy=proxy) as client:
            return await ask_host(client, origin)

    found = await asyncio.gather(*map(ask, callers))
    return dict(zip(callers, found, strict=True))


async def ask_host(client: httpx.AsyncClient, origin: str) -> Answered:
    """Ask a host for nothing in particular."""
    began = time.monotonic()
    try:
        response = await client.head(origin)
    except httpx.TimeoutException:
        return Answered(error=f"it did not answer within {ANSWER_SECONDS:g} s")
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        return Answered(error=without_secrets(str(error)) or type(error).__name__)
    seconds = time.monotonic() - began
    try:
        skew = time.time() - seconds / 2 - parsedate_to_datetime(response.headers["Date"]).timestamp()
    except (KeyError, ValueError):
        skew = None
    return Answered(seconds, skew)


def _describe_answer(origin: str, callers: Iterable[Asked], answer: Answered) -> Finding:
    asked = list(callers)
    who = "; ".join(one.who for one in asked)
    if answer.error:
        grade: Any = "fault" if any(one.needed for one in asked) else "note"
        return Finding(grade, f"{origin} cannot be reached: {answer.error}", f"it is asked by {who}")
    text = f"{origin} answered in {1_000 * answer.seconds:.0f} ms: {who}"
    if answer.seconds > SLOW_SECONDS:
        return Finding("note", text, "that is slow for an answer without content: look at the network")
    return Finding("good", text)
