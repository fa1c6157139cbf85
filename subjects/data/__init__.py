"""Questions to databases: SQL, charts and forecasts, every number with its cell."""
