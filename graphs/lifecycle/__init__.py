"""A run from its start to its finish: what it begins with, what watchers are answered, what it leaves."""
