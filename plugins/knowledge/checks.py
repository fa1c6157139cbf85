"""What `elcano doctor` says of the server of the knowledge graph."""

import asyncio
from collections.abc import Iterable

from sqlalchemy.exc import DBAPIError

from elcano.plugins.knowledge.knowledge_store import age_version
from elcano.redaction import without_secrets
from elcano.settings.plugins import Finding
from elcano.settings.settings import Settings, get_variable_name


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
