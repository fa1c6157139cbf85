"""The plugin `evidence_tables`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="evidence_tables",
    description="Evidence tables: what each document says on each question, with quotes, and screening.",
    package="elcano.doors.evidence_tables",
    needs=("batches", "documents", "structured_answers", "uploads"),
    tools=(".document_graph:READ_DOCUMENT",),
    reducers=(".document_graph:REDUCERS",),
    looks=(".folder_documents:FOLDER_LOOK",),
    stores={"evidence_tables": ".table_store:EvidenceTableStore"},
    routes=(".routes:router",),
    commands={"table": ".commands:app"},
)
