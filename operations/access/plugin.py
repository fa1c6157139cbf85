"""The plugin `access`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="access",
    description="API keys, login by OpenID Connect, roles, links to runs, rules of tenants, and the audit log.",
    package="elcano.operations.access",
    settings=(".settings:AccessSettings",),
    parts={"allowance": ".tenant_rules:open_tenant_rules", "identities": ".oidc:open_identities"},
    checks=(".tenant_rules:check_tenant_rules",),
    middleware=(".audit:AuditMiddleware",),
    routes=(
        ".key_routes:router",
        ".session_routes:router",
        ".session_routes:user_router",
        ".session_routes:oidc_router",
        ".link_routes:links",
        ".link_routes:shared",
        ".audit:router",
    ),
    commands={
        "keys": ".commands:keys",
        "share": ".commands:links",
        "audit": ".commands:show_audit_log",
    },
    stores={"access": ".access_store:AccessStore"},
)
