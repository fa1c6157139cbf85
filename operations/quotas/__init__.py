"""What tenants and API keys may use, and what they used: quotas of runs, tokens and money, and sums day by day."""
