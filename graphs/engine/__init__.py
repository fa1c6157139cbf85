"""The graph as a step function: what is done next, and what a run is after it was done."""
