"""The life cycle of a run: its initial state, the answers to watchers, and its results."""
