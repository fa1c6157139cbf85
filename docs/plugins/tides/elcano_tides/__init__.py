"""Tides for Elcano: a source, a tool, an agent, a reducer, a mode, a route, a command and a setting."""
