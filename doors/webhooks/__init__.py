"""Webhooks: a tenant's own servers are told what becomes of its runs."""
