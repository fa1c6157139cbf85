"""Workflows that belong to a tenant are found by its search attribute: runs, and those that begin outside any run."""

from collections.abc import Mapping

from temporalio.common import SearchAttributeKey, SearchAttributePair, TypedSearchAttributes

from elcano.graphs.run_contracts import TENANT_ATTRIBUTE


def describe_owner(tenant: str) -> TypedSearchAttributes:
    """The search attribute by which a workflow outside any run is found when its tenant is deleted."""
    return build_search_attributes({TENANT_ATTRIBUTE: tenant})


def build_search_attributes(labels: Mapping[str, str]) -> TypedSearchAttributes:
    """Search attributes that are keywords, by name."""
    pairs = [SearchAttributePair(SearchAttributeKey.for_keyword(name), value) for name, value in labels.items()]
    return TypedSearchAttributes(pairs)
