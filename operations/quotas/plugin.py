"""The plugin `quotas`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="quotas",
    description="Quotas of runs, tokens and money for tenants and API keys, and what they used.",
    package="elcano.operations.quotas",
    settings=(".limits:QuotaSettings",),
    starters=(".limits:require_readable_quotas",),
    admission_rules=(".claims:open_rule",),
    parts={"spending_guard": ".claims:open_guard"},
    stores={"quotas": ".quota_state:QuotaStore"},
    routes=(".routes:usage", ".routes:quotas"),
    commands={"usage": ".commands:show_usage", "quotas": ".commands:show_quotas"},
    checks=(".limits:check_quotas",),
)
