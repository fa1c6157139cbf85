"""Every version that the tables had, in the form that alembic reads."""
