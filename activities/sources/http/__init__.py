"""HTTP access: one client for all sources, and the services that they call."""
