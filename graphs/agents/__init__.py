"""What an agent is, the registry of those that plugins add, and the agents of the kernel: reviewer and reviser."""
