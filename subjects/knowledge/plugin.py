"""The plugin `knowledge`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="knowledge",
    description="The graph of what all runs found, as a source and to be asked.",
    package="elcano.subjects.knowledge",
    sources=(".source_spec:SOURCE",),
    routes=(".routes:router",),
    checks=(".knowledge_store:check_knowledge_graph",),
    stores={"knowledge": ".knowledge_store:KnowledgeStore"},
    archivers=(".run_knowledge:update_knowledge",),
    commands={"knowledge": ".commands:app"},
)
