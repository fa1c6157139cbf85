"""The state, budget, events and holds of a run, as frozen values that travel."""
