"""Webhooks: a tenant's own servers are notified about its runs."""
