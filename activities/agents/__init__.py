"""Agents: one call of a model each, one file each: instructions, what the model is shown, what it answers."""
