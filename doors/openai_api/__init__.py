"""Elcano behind the API of OpenAI, for every client that speaks it."""
