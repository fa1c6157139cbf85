"""Quotas of tenants and API keys: limits of runs, tokens and money, and daily sums of their usage."""
