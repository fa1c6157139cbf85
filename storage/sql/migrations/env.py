"""The alembic environment: migrates over the connection, and in the transaction, of the caller."""

from alembic import context

from elcano.storage.sql.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
