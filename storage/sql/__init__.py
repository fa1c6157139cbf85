"""The database under the store: its tables, the engine over them, and what differs between databases."""
