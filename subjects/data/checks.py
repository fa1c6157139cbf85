"""Checks of databases for `elcano doctor`; their addresses are left out, because its output may be shared."""

from collections.abc import Iterable
from typing import Literal

from elcano.activities.child_processes import Stop
from elcano.graphs.catalogue.sources import list_configured_sources
from elcano.graphs.errors import InputInvalid, SourceRefused, SourceUnavailable
from elcano.settings.plugins import Finding
from elcano.settings.settings import Settings, get_variable_name
from elcano.subjects.data.databases.database import engine_of


def check_databases(chosen: Settings) -> Iterable[Finding]:
    """Report the databases that can be opened; their addresses are left out, because the output may be shared."""
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
