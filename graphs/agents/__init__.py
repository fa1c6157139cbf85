"""The definition of an agent, the registry of those that plugins add, and the kernel's agents: reviewer and reviser."""
