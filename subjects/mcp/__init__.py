"""MCP servers that the operator configured: connected to for one call, listed, called. Their texts are data."""
