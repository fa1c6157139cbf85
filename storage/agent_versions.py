"""Agents of a tenant's own, by name and version."""

from typing import Final

from sqlalchemy.ext.asyncio import AsyncEngine

from elcano.graphs.errors import TooManyAgents
from elcano.graphs.frozen import Frozen
from elcano.graphs.spec.own_agent import OwnAgent
from elcano.storage.sql.tables import agents
from elcano.storage.versions import TooManyVersions, Version, Versions

MOST_AGENTS: Final = 500
"""Of one tenant: a list that a person can read."""
MOST_VERSIONS: Final = 1_000
"""Of one agent."""


class AgentVersion(Frozen):
    """One version of an agent of a tenant's own."""

    version: int
    """From 1; each is one more than the one before."""
    at: float
    """When it was kept, in seconds since the epoch."""
    agent: OwnAgent

    @property
    def key(self) -> str:
        """The key by which nodes call this version."""
        return f"{self.agent.name}@{self.version}"


class AgentStore(Versions):
    """The agents of one tenant."""

    def __init__(self, engine: AsyncEngine, tenant: str) -> None:
        super().__init__(engine, tenant, agents)

    async def keep(self, agent: OwnAgent) -> tuple[AgentVersion, bool]:
        """Keeps an agent under its name; with it comes whether that made a new version.

        Raises:
            TooManyAgents: the tenant has as many agents, or the agent as many versions, as may be.
        """
        try:
            kept, new = await self.keep_body(agent.name, agent.model_dump_json(), MOST_AGENTS, MOST_VERSIONS)
        except TooManyVersions as full:
            if full.names:
                text = f"there are {MOST_AGENTS} agents, and no more may be kept: delete one first"
            else:
                text = f"{agent.name!r} has had {MOST_VERSIONS} versions: keep it under another name"
            raise TooManyAgents(text) from full
        return AgentVersion(version=kept.number, at=kept.at, agent=agent), new

    async def get(self, name: str, version: int | None = None) -> AgentVersion | None:
        """A version of an agent, the latest if none is named; None if there is none."""
        found = await self.find(name, version)
        return None if found is None else _build_agent_version(found)

    async def all(self) -> list[AgentVersion]:
        """The latest version of each agent, by name."""
        return [_build_agent_version(found) for found in await self.newest()]


def _build_agent_version(kept: Version) -> AgentVersion:
    return AgentVersion(version=kept.number, at=kept.at, agent=OwnAgent.model_validate_json(kept.body))
