"""The agents that graphs can call: the built-in ones and those of a tenant's own, by name."""

from itertools import islice
from typing import Any

from pydantic import ValidationError

from elcano.api.http.errors import AgentNotFound, FieldFault, RequestInvalid
from elcano.graphs.agents.definition import AGENTS
from elcano.graphs.checks.callees import every_fault
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.named_parts import StoredAgent, agents_called, agents_carried, with_agents
from elcano.graphs.schemas.bounds import SchemaFault, build_json_pointer, prefix_fault_pointers
from elcano.graphs.schemas.schema_parser import parse_schema
from elcano.graphs.spec.limits import MAX_AGENTS, MAX_FAULTS
from elcano.graphs.spec.own_agent import OwnAgent, key_parts
from elcano.storage.versions import AgentStore, AgentVersion


def received_agent(given: dict[str, Any]) -> OwnAgent:
    """An agent that came with a request.

    Raises:
        RequestInvalid: it has faults; all are told, each with its place as a JSON pointer.
    """
    agent, found = _validate_own_agent(given)
    if agent is None or found:
        first = [FieldFault(field=one.pointer or "body", message=one.message) for one in found[:MAX_FAULTS]]
        more = [FieldFault(field="body", message="and more: mend these first")] if len(found) > MAX_FAULTS else []
        raise RequestInvalid([*first, *more])
    return agent


def _validate_own_agent(given: dict[str, Any]) -> tuple[OwnAgent | None, list[SchemaFault]]:
    try:
        agent = OwnAgent.model_validate(given)
    except ValidationError as error:
        told = error.errors(include_url=False, include_context=False, include_input=False)
        found = [SchemaFault(build_json_pointer(*one["loc"]), one["msg"]) for one in told[: MAX_FAULTS + 1]]
        if isinstance(output := given.get("output"), dict):  # what else is wrong is told at once
            found += prefix_fault_pointers(parse_schema(output).faults, "/output")
        return None, found
    return agent, every_fault(agent)


async def agent_version(text: str, own: AgentStore) -> AgentVersion | None:
    """The version of an agent of one's own that `text` names; None if there is none."""
    named = key_parts(text)
    return None if named is None else await own.get(*named)


async def require_own_agent(text: str, own: AgentStore) -> AgentVersion:
    """The same.

    Raises:
        AgentNotFound: there is none; the text says which there are.
    """
    if (kept := await agent_version(text, own)) is None:
        known = [*AGENTS, *(one.agent.name for one in await own.all())]
        built_in = f"{text!r} is a built-in agent, which has no versions"
        raise AgentNotFound(next(iter(explain_unknown_name("agent", text, known)), built_in))
    return kept


async def with_kept_agents(graph: Any, own: AgentStore) -> tuple[Any, list[FieldFault]]:
    """Return a graph's JSON with the stored agents that its nodes name, and agents that differ from the stored ones.

    A name that there is not stays as it is: the check of the graph tells it with all other faults.
    """
    wrong = []
    versions = islice((one for one in agents_carried(graph) if "@" in one[0]), MAX_AGENTS + 1)
    for key, given in versions:
        if (kept := await agent_version(key, own)) is not None and not _is_same_agent(given, kept.agent):
            text = f"it is not the agent that is kept as {key!r}: call yours {kept.agent.name!r}, or push it first"
            wrong.append(FieldFault(field=f"agents.{key}", message=text))
    found = {name: await agent_version(name, own) for name in agents_called(graph)}
    named = {name: StoredAgent(kept.key, kept.agent) for name, kept in found.items() if kept is not None}
    return with_agents(graph, named), wrong


def _is_same_agent(given: Any, kept: OwnAgent) -> bool:
    try:
        return OwnAgent.model_validate(given) == kept
    except ValidationError:  # told with the faults of the graph
        return True
