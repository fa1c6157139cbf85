"""Checks of databases for `elcano doctor`; their addresses are left out, because its output may be shared."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from elcano.activities.child_processes import Stop
from elcano.graphs.catalogue.sources import list_configured_sources
from elcano.graphs.errors import InputInvalid, SourceRefused, SourceUnavailable
from elcano.graphs.graph_traits import GraphTraits
from elcano.graphs.model_names import OFFLINE, model_names
from elcano.settings.plugins import Finding
from elcano.settings.settings import Settings, get_variable_name
from elcano.subjects.data.databases.database import engine_of
from elcano.subjects.data.query_models import SQL_WRITER


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


def find_missing_query_writer(
    graph: GraphTraits, sources: Sequence[str], models: Mapping[str, str], settings: Settings
) -> str:
    """Why nothing can write the SQL of `graph`: there is no language model, and no question is saved.

    Args:
        graph: one that asks databases on each of its ways; of any other nothing is said.
        sources: what the run searches.
        models: by agent; empty: no one knows it here, and then it counts as a language model.
        settings: of the API.
    """
    model = models.get(SQL_WRITER, "")
    if not model or model_names(model)[0] != OFFLINE or not graph.asks_databases:
        return ""
    named = [name for name in sources if name in settings.databases]
    if any(name in settings.database_examples for name in named):
        return ""
    return (
        f"it needs a language model, or saved questions for {', '.join(map(repr, named))}: "
        "choose a model in the run's `model` or with ELCANO_MODEL, or name a file of questions with their SQL in "
        "ELCANO_DATABASE_EXAMPLES"
    )
