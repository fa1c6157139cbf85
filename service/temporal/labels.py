"""Workflows that belong to a tenant are found by its search attribute: runs, and those that begin outside any run."""

from collections.abc import Mapping

from temporalio.client import Client
from temporalio.common import (
    SearchAttributeKey,
    SearchAttributePair,
    TypedSearchAttributes,
    WorkflowIDConflictPolicy,
    WorkflowIDReusePolicy,
)

from elcano.graphs.run_contracts import TENANT_ATTRIBUTE


def describe_owner(tenant: str) -> TypedSearchAttributes:
    """The search attribute by which a workflow outside any run is found when its tenant is deleted."""
    return build_search_attributes({TENANT_ATTRIBUTE: tenant})


def build_search_attributes(labels: Mapping[str, str]) -> TypedSearchAttributes:
    """Search attributes that are keywords, by name."""
    pairs = [SearchAttributePair(SearchAttributeKey.for_keyword(name), value) for name, value in labels.items()]
    return TypedSearchAttributes(pairs)


async def begin_workflow(
    client: Client, workflow: str, work: object, *, id: str, queue: str, tenant: str, summary: str, signal: str = ""
) -> None:
    """Begin a workflow of a tenant unless it is going on; either way it gets the signal, if there is one."""
    await client.start_workflow(
        workflow,
        work,
        id=id,
        task_queue=queue,
        id_reuse_policy=WorkflowIDReusePolicy.ALLOW_DUPLICATE,
        id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        start_signal=signal or None,
        search_attributes=describe_owner(tenant),
        static_summary=summary,
    )
