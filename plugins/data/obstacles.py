"""What keeps a question to databases from being answered, known before its run starts."""

from collections.abc import Mapping, Sequence
from typing import Final

from elcano.api.runs.source_availability import asks_databases
from elcano.graphs.model_names import OFFLINE, model_names
from elcano.graphs.spec.graph import ResearchGraph
from elcano.plugins.data.agents import sql_writer
from elcano.settings import Settings

SQL_WRITER: Final = sql_writer.AGENT.name


def find_missing_query_writer(
    graph: ResearchGraph, sources: Sequence[str], models: Mapping[str, str], settings: Settings
) -> str:
    """Why nothing can write the SQL of `graph`: there is no language model, and no question is saved.

    Args:
        graph: one that asks databases on each of its ways; of any other nothing is said.
        sources: what the run searches.
        models: by agent; empty: nobody knows it here, and then it counts as a language model.
        settings: of the API.
    """
    model = models.get(SQL_WRITER, "")
    if not asks_databases(graph) or not model or model_names(model)[0] != OFFLINE:
        return ""
    named = [name for name in sources if name in settings.databases]
    if any(name in settings.database_examples for name in named):
        return ""
    return (
        f"it needs a language model, or saved questions for {', '.join(map(repr, named))}: "
        "choose a model in the run's `model` or with ELCANO_MODEL, or name a file of questions with their SQL in "
        "ELCANO_DATABASE_EXAMPLES"
    )
