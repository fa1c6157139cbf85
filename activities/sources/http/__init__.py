"""What is read over HTTP: one client for all sources, and the services that they ask."""
