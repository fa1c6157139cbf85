"""The agents that there are, by name: those of the kernel and of every plugin that is loaded."""

from typing import Final

from elcano.graphs.agents.definition import AgentDefinition
from elcano.graphs.registry import Registry

AGENTS: Final[Registry[AgentDefinition]] = Registry("agents", AgentDefinition)
