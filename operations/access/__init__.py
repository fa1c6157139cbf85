"""Access control: API keys, OpenID Connect, sessions of browsers, links to runs, rules of tenants, the audit log."""
