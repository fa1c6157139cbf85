"""Permissions of each role, and the principal of a request: its tenant, user and role.

Every route declares one permission (`request_identity.requires`); a role is a set of permissions. A credential may
narrow its role to some of them (scopes), and never widens it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from elcano.graphs.tenants import DEFAULT_TENANT, Tenant

Permission: TypeAlias = Literal[
    "read_run",
    "inspect_run",
    "list_runs",
    "read_catalogue",
    "read_knowledge",
    "start_run",
    "control_run",
    "share_run",
    "edit_catalogue",
    "check_source",
    "approve",
    "delete_run",
    "read_usage",
    "operate",
    "administer",
]
Role: TypeAlias = Literal["reader", "researcher", "approver", "operator", "admin"]

PERMISSIONS: Final[Mapping[Permission, str]] = {
    "read_run": "read a run: its status, its events, its report with the pictures in it",
    "inspect_run": "read what a run's report was made of: evidence, steps, results, certificate",
    "list_runs": "list the tenant's runs",
    "read_catalogue": "read modes, sources, graphs, agents, databases, tools and the list of documents",
    "read_knowledge": "search what the tenant's runs found",
    "start_run": "start and fork runs",
    "control_run": "pause, steer, stop, resume and roll back runs, and decide on their plans",
    "share_run": "make, list and revoke links to a run",
    "edit_catalogue": "keep and delete graphs, agents and documents",
    "check_source": "search a source outside a run",
    "approve": "decide on tool calls that write",
    "delete_run": "delete runs",
    "read_usage": "read what runs used",
    "operate": "read the audit log, and what else concerns the service",
    "administer": "make, list and revoke API keys, and delete the tenant",
}
"""Each permission in words, as in `your role may not ...`."""

_READS: Final[frozenset[Permission]] = frozenset(
    {"read_run", "inspect_run", "list_runs", "read_catalogue", "read_knowledge"}
)
ROLES: Final[Mapping[Role, frozenset[Permission]]] = {
    "reader": _READS,
    "researcher": _READS | {"start_run", "control_run", "share_run", "edit_catalogue", "check_source", "read_usage"},
    "approver": _READS | {"approve"},
    "operator": _READS | {"control_run", "share_run", "check_source", "delete_run", "read_usage", "operate"},
    "admin": frozenset(get_args(Permission)),
}
"""Permissions of each role."""


@dataclass(frozen=True, kw_only=True)
class Principal:
    """The person or program that makes a request, resolved once by the identity of the application."""

    tenant: Tenant = DEFAULT_TENANT
    user: str = ""
    """The user's name, for the record; empty if none is named."""
    role: Role = "admin"
    scopes: frozenset[Permission] = frozenset()
    """The permissions that the credential is narrowed to; empty: all of its role."""
    key_id: str = ""
    """The id of the API key that it came with, or that it signed in with; empty: none."""

    @property
    def permissions(self) -> frozenset[Permission]:
        """The permissions of its role, narrowed to its scopes if it has any."""
        return ROLES[self.role] & self.scopes if self.scopes else ROLES[self.role]

    def explain_refusal(self, permission: Permission) -> str | None:
        """Explain why it may not do what takes `permission`; None if it may."""
        if permission in self.permissions:
            return None
        if permission in ROLES[self.role]:
            return (
                f"this credential is limited to {', '.join(sorted(self.scopes))}: it may not {PERMISSIONS[permission]}"
            )
        able = [role for role, permissions in ROLES.items() if permission in permissions]
        return f"the role {self.role!r} may not {PERMISSIONS[permission]}; that takes one of: {', '.join(able)}"
