"""Subjects: each folder knows one field whole: agents, prompts, tools, sources, modes, settings, texts."""
