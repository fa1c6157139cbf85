"""Run by alembic: migrates over the connection, and in the transaction, of whoever asks."""

from alembic import context

from elcano.storage.sql.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
