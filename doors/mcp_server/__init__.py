"""Elcano as an MCP server: what agents of others call to have something researched."""
