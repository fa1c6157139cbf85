"""MCP servers that the operator named: connected to for one call, listed, called. What they say is data."""
