"""What `elcano doctor` sees of servers and files beside the data folder: the store, the knowledge graph, databases."""

import asyncio
from collections.abc import Iterable
from typing import Literal

from sqlalchemy.exc import DBAPIError

from elcano.activities.databases.engine import Stop
from elcano.activities.databases.registry import engine_of
from elcano.dev.finding import Finding
from elcano.graphs.catalogue.source_registry import list_configured_sources
from elcano.graphs.errors import ElcanoError, InputInvalid, SourceRefused, SourceUnavailable
from elcano.redaction import without_secrets
from elcano.settings import Settings, get_variable_name
from elcano.storage.knowledge.graph_factory import age_version
from elcano.storage.store import open_configured


def check_store(chosen: Settings) -> Iterable[Finding]:
    """Report whether storage outside the data folder can be reached and written."""
    if not chosen.store_url and not chosen.objects_url:
        return
    places = " and ".join(without_secrets(url) for url in (chosen.store_url, chosen.objects_url) if url)
    try:
        asyncio.run(_write_probe(chosen))
    except (ElcanoError, DBAPIError, OSError) as error:
        text = f"the store at {places} cannot be used: {without_secrets(str(error))}"
        yield Finding(
            "fault",
            text,
            f"correct {get_variable_name('store_url')} or {get_variable_name('objects_url')}, or start its server",
        )
        return
    yield Finding("good", f"the store at {places} can be written")


async def _write_probe(chosen: Settings) -> None:
    async with open_configured(chosen) as opened:
        await opened.probe.write()


def check_knowledge_graph(chosen: Settings) -> Iterable[Finding]:
    """Whether the server of the knowledge graph can be reached and has Apache AGE."""
    if not chosen.knowledge.startswith("postgresql"):
        return
    place = without_secrets(chosen.knowledge)
    try:
        version = asyncio.run(age_version(chosen.knowledge))
    except (DBAPIError, OSError) as error:
        text = f"the knowledge graph at {place} cannot be reached: {without_secrets(str(error))}"
        yield Finding("fault", text, f"correct {get_variable_name('knowledge')}, or start its server")
        return
    if version is None:
        text = f"the server of the knowledge graph at {place} does not have Apache AGE"
        yield Finding("fault", text, f"install AGE there, or set {get_variable_name('knowledge')} to `tables`")
    else:
        yield Finding("good", f"knowledge graph at {place}: Apache AGE {version}")


def check_databases(chosen: Settings) -> Iterable[Finding]:
    """Report which databases can be opened; their addresses are left out, because the output may be shared."""
    try:
        list_configured_sources(chosen.collections, chosen.has, chosen.databases)
    except InputInvalid as error:
        yield Finding(
            "fault", str(error), f"correct {get_variable_name('databases')} or {get_variable_name('collections')}"
        )
    for name, address in chosen.databases.items():
        try:
            engine = engine_of(name, address, chosen.data_dir / "databases")
            tables = len(engine.structure(Stop()))
        except (SourceRefused, SourceUnavailable) as error:
            yield Finding("fault", str(error), f"correct {get_variable_name('databases')}, or mend what it says")
            continue
        grade: Literal["good", "note"] = "good" if tables else "note"
        yield Finding(grade, f"database {name} ({engine.dialect}): {tables} tables can be read")
