"""The values that travel: what a run knows, may spend, tells, hands over, and how its calls fail."""
