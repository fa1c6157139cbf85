"""`elcano doctor`: checks everything that a run needs on this machine, one line each, and says how to fix faults.

It changes nothing; but to a store that is named by URL it writes a row and an object, each in place of the last one.
A program that is merely not running is no fault; an obstacle to running it is. A running server has its own settings,
those of where it was started: findings on the settings of this shell say so, and are no faults while it is ready.
"""

from elcano.program_start import leave_on_interrupt

if __name__ == "__main__":
    leave_on_interrupt()

import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import httpx
from rich.console import Console
from rich.markup import escape

from elcano.activities.services import missing_extras
from elcano.activities.similarity.embedder import open_embedder
from elcano.dev.claims import find_listener, is_free, read_folder_owner
from elcano.dev.external_checks import check_store, check_temporal
from elcano.dev.stack import list_needed_ports
from elcano.graphs.agents.definition import AgentDefinition
from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.catalogue.sources import SOURCES
from elcano.graphs.catalogue.tools import LOOKS, TOOLS
from elcano.graphs.errors import InputInvalid
from elcano.graphs.extras import EXTRAS
from elcano.graphs.model_names import (
    OFFLINE,
    PROVIDERS,
    address_of,
    find_unknown_providers,
    model_fault,
    model_names,
    parse_model_provider,
)
from elcano.graphs.plugin import import_object, list_plugins, load_objects, load_registries
from elcano.output import guarded_output
from elcano.redaction import without_secrets
from elcano.settings import (
    LEAST_SECRET,
    Settings,
    get_variable_name,
    is_set,
    list_variables,
    program_settings,
    short_secrets,
    unknown_variables,
)
from elcano.settings.plugins import Finding
from elcano.storage.health import PROBE_BYTES

PYTHON = (3, 11)
FREE_BYTES = 500_000_000
"""Minimum free space in the data folder: room for a store and Temporal's history of some hundred runs."""
_MEGABYTE = 1_000_000

Look = Callable[[Settings], Iterable[Finding]]

HERE = "this shell: "
"""The prefix of findings about the settings of this shell; a server may have been started with others."""
_NOT_ASKED = "the server that answers was started with settings of its own; this is for what is started from here"


def main(arguments: Sequence[str] = ()) -> int:
    """Print every finding; the exit code is 1 if something has to be fixed, else 0.

    With `--deep`, the deep checks of plugins too, which ask other machines.
    """
    console = Console(soft_wrap=True, highlight=False)
    deep = "--deep" in arguments
    chosen = program_settings()
    if broken := [finding for finding in check_plugins(chosen) if finding.grade == "fault"]:
        return _print_findings(console, broken)
    served = list(check_api(chosen))
    ready = any(finding.grade == "good" for finding in served)
    served += (*check_providers(chosen), *check_modes(chosen)) if ready else ()
    own = [
        replace(finding, text=HERE + finding.text)
        for look in (*OF_THIS_SHELL, *load_objects("checks"), *(load_objects("deep_checks") if deep else ()))
        for finding in look(chosen)
    ]
    findings = [
        *(finding for look in OF_THIS_MACHINE for finding in look(chosen)),
        *served,
        *(_beside_a_server(finding) if ready else finding for finding in own),
    ]
    return _print_findings(console, findings)


def _print_findings(console: Console, findings: Sequence[Finding]) -> int:
    marks = {"good": "[green]ok  [/]", "note": "[yellow]note[/]", "fault": "[red]MEND[/]"}
    for finding in findings:
        console.print(f"{marks[finding.grade]}  {escape(finding.text)}")
        if finding.remedy:
            console.print(f"      {escape(finding.remedy)}")
    return int(any(finding.grade == "fault" for finding in findings))


def _beside_a_server(finding: Finding) -> Finding:
    """Turn a fault of this shell's settings into a note: a server that is ready works without them."""
    if finding.grade != "fault":
        return finding
    remedy = "; ".join(filter(None, (finding.remedy, _NOT_ASKED)))
    return Finding("note", finding.text, remedy)


def check_python(_: Settings) -> Iterable[Finding]:
    """Check the interpreter's version."""
    text = f"Python {sys.version_info.major}.{sys.version_info.minor} at {sys.executable}"
    if sys.version_info[:2] < PYTHON:
        yield Finding("fault", text, "Python 3.11 or newer is needed: install it and set Elcano up again with it")
    else:
        yield Finding("good", text)


def data_folder(chosen: Settings) -> Iterable[Finding]:
    """Check whether the data folder is writable and has room."""
    folder = chosen.data_dir.absolute()
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    try:
        with tempfile.TemporaryFile(dir=existing) as file:
            file.write(os.urandom(PROBE_BYTES))
    except OSError as error:
        text = f"the data folder {folder} cannot be written to ({error.strerror})"
        remedy = "make room" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "change its owner"
        yield Finding("fault", text, f"{remedy}, or set ELCANO_DATA_DIR to another folder")
        return
    free = shutil.disk_usage(existing).free
    text = f"data folder {folder}, {free / _MEGABYTE:,.0f} MB free"
    yield Finding("note", text, "make room, or set ELCANO_DATA_DIR") if free < FREE_BYTES else Finding("good", text)


def stack_or_ports(chosen: Settings) -> Iterable[Finding]:
    """Report the stack that holds the data folder; without one, whether its ports are free."""
    if facts := read_folder_owner(chosen.data_dir):
        yield Finding("good", f"a stack runs: process {facts.get('pid')}, API {facts.get('api')}")
        return
    for name, (host, port) in list_needed_ports(chosen).items():
        if is_free(host, port):
            yield Finding("good", f"port {port} is free ({get_variable_name(name)})")
        else:
            text = f"port {port} is in use by {find_listener(port) or 'a process that cannot be looked into'}"
            yield Finding(
                "note", text, f"if that is not Elcano: stop it, or set {get_variable_name(name)} to another port"
            )


def check_api(chosen: Settings) -> Iterable[Finding]:
    """Check whether the API answers and could have a run executed."""
    try:
        response = httpx.get(f"{chosen.base_url}/readyz", timeout=10)
    except httpx.TransportError:
        yield Finding("note", f"no API answers at {chosen.base_url}", "`elcano serve` starts one")
        return
    if response.is_success:
        yield Finding("good", f"the API at {chosen.base_url} is ready")
        return
    text = f"the API at {chosen.base_url} is not ready (HTTP {response.status_code})"
    yield Finding("fault", text, _describe_readiness(response))


def _describe_readiness(response: httpx.Response) -> str:
    """Describe the missing parts, by the checks of `/readyz`; another program's response is shown as it is."""
    try:
        checks = response.json()["checks"]
        return "; ".join(f"{name}: {check['detail']}" for name, check in checks.items() if not check["ok"])
    except (ValueError, LookupError, TypeError, AttributeError):
        return response.text


def check_providers(chosen: Settings) -> Iterable[Finding]:
    """Report the sources that the server currently leaves alone, and why; sources that answer are not reported."""
    listed = _fetch_listing(chosen, "/v1/sources")
    if isinstance(listed, str):
        yield Finding("note", f"the API did not say how its sources stand ({listed})", _explain_refusal(listed))
        return
    for source in listed:
        if source["state"] == "search_failed":
            text = f"the last search of source {source['name']} failed: {source['last_error']}"
            yield Finding("note", text, f"`elcano sources check {source['name']} WORDS` tries it again")
        elif source["state"] in ("waiting", "failing", "trial"):
            text = f"source {source['name']} is {source['state']}: {source['last_error']}"
            yield Finding("note", text, "runs that search it are held until it answers; `elcano sources` says when")


def check_modes(chosen: Settings) -> Iterable[Finding]:
    """Report the modes that the server's workers cannot run, or run with less, because they lack an extra."""
    listed = _fetch_listing(chosen, "/v1/modes")
    if isinstance(listed, str):
        yield Finding("note", f"the API did not say which modes it can run ({listed})", _explain_refusal(listed))
        return
    for mode in listed:
        for why in mode["unavailable"]:
            yield Finding("note", f"mode {mode['name']} is refused", why)
        for what in mode["left_out"]:
            yield Finding("note", f"mode {mode['name']} goes without something", what)


def _fetch_listing(chosen: Settings, path: str) -> list[Any] | str:
    """Return the server's listing, or why there is none."""
    headers = {"Authorization": f"Bearer {chosen.api_key}"} if chosen.api_key else {}
    try:
        response = httpx.get(f"{chosen.base_url}{path}", timeout=10, headers=headers)
    except httpx.TransportError as error:
        return type(error).__name__
    if not response.is_success:
        return f"HTTP {response.status_code}"
    listed: list[Any] = response.json()
    return listed


def _explain_refusal(why: str) -> str:
    """Explain how to fix a refused listing."""
    return f"set {get_variable_name('api_key')} to an API key" if why in ("HTTP 401", "HTTP 403") else ""


def check_extras(_: Settings) -> Iterable[Finding]:
    """Report the extras that are not installed here."""
    for name in sorted(missing_extras()):
        yield Finding("note", f"not installed: {EXTRAS[name].purpose}", EXTRAS[name].install)


def check_plugins(_: Settings) -> Iterable[Finding]:
    """Report the loaded plugins, and whether what they name by paths is there."""
    remedy = f"correct the plugin, or leave it out with {get_variable_name('plugins')}"
    try:
        load_registries()
    except InputInvalid as error:
        yield Finding("fault", str(error), remedy)
        return
    for named_by, path in _list_function_paths():
        try:
            import_object(path, named_by)
        except InputInvalid as error:
            yield Finding("fault", str(error), remedy)
    yield Finding("good", f"plugins: {', '.join(plugin.name for plugin in list_plugins()[1:])}")


def check_variable_names(_: Settings) -> Iterable[Finding]:
    """Report variables that look like settings and are none."""
    for text in unknown_variables(list_variables(load_objects("settings"))):
        yield Finding("note", text)


def check_models(chosen: Settings) -> Iterable[Finding]:
    """Check whether the configured models have a valid name and a key."""
    for text in dict.fromkeys((chosen.model, *chosen.agent_models.values())):
        if (fault := model_fault(text)) is not None:
            yield Finding(
                "fault", fault, f"correct {get_variable_name('model')} or {get_variable_name('agent_models')}"
            )
            continue
        for name in model_names(text):
            yield _check_model_key(name, address_of(name, chosen.model_base_url, chosen.model_urls))
    priced = map(parse_model_provider, chosen.model_prices)
    for name, providers in (("model_rates", chosen.model_rates), ("model_prices", priced)):
        if fault := find_unknown_providers(providers, get_variable_name(name)):
            yield Finding("fault", fault, f"correct {get_variable_name(name)}")


def check_sources(chosen: Settings) -> Iterable[Finding]:
    """Check whether sources other than collections are on and have their keys; one that only adds speed is optional."""
    for spec in (one for one in SOURCES.values() if one.key or one.any_of or one.setting or one.queue):
        if missing := spec.missing(chosen.has):
            yield Finding("note", f"source {spec.name} is not offered: {missing}", "if you want to search it")
        else:
            rate, key = spec.rate(chosen.has), f", {_set_or_not([spec.key])}" if spec.key else ""
            yield Finding("good", f"source {spec.name}" + (f": {rate:g} searches a second" if rate else "") + key)


def check_embeddings(chosen: Settings) -> Iterable[Finding]:
    """Check whether the configured encoder can be used."""
    try:
        if open_embedder(chosen.embeddings) is not None:
            yield Finding("good", f"embeddings: {chosen.embeddings}")
    except InputInvalid as error:
        yield Finding("fault", str(error))


def check_secrets(_: Settings) -> Iterable[Finding]:
    """Report secrets that are too short to be removed from texts."""
    for place in short_secrets():
        text = f"{place} has fewer than {LEAST_SECRET} characters: it is not removed from logs, failures and reports"
        yield Finding("note", text, "choose a longer one; if it is no secret, name it in `public` of its MCP server")


def _list_function_paths() -> Iterable[tuple[str, str]]:
    """Yield every path by which a source, tool, look or agent names a function that only workers load, and who does."""
    missing = missing_extras()
    yield from ((f"the source {one.name!r}", one.opened_by) for one in SOURCES.values())
    yield from ((f"the tool {one.name!r}", one.run) for one in TOOLS.values() if one.run and one.needs not in missing)
    yield from ((f"the look {one.name!r}", one.run) for one in LOOKS.values())
    agents = (agent for agent in AGENTS.values() if isinstance(agent, AgentDefinition))
    yield from ((f"the agent {one.name!r}", path) for one in agents for path in (one.writer, one.loader) if path)


def _check_model_key(name: str, address: str) -> Finding:
    if name == OFFLINE:
        return Finding("good", "model offline: no key is needed")
    variables = PROVIDERS.get(parse_model_provider(name), ())
    if address:
        return Finding("good", f"model {name} is asked at {without_secrets(address)}: {_set_or_not(variables)}")
    if not variables:
        return Finding("note", f"model {name}: the variables of its key are not known here", "see pydantic-ai's manual")
    if any(is_set(key) for key in variables):
        return Finding("good", f"model {name}: {_set_or_not(variables)}")
    return Finding(
        "fault", f"model {name}: {_set_or_not(variables)}", f"set {' or '.join(variables)} where the worker runs"
    )


def _set_or_not(variables: Iterable[str]) -> str:
    """Name the variables of a key that are set; a value is never shown."""
    return ", ".join(f"{name} is {'set' if is_set(name) else 'not set'}" for name in variables)


OF_THIS_MACHINE: tuple[Look, ...] = (
    check_python,
    check_temporal,
    data_folder,
    check_store,
    stack_or_ports,
)
OF_THIS_SHELL: tuple[Look, ...] = (
    check_plugins,
    check_variable_names,
    check_extras,
    check_models,
    check_sources,
    check_embeddings,
    check_secrets,
)


if __name__ == "__main__":
    with guarded_output("elcano"):
        sys.exit(main(sys.argv[1:]))
