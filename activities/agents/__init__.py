"""Agents: one file and one model call each, with its instructions, what the model is shown and what it answers."""
