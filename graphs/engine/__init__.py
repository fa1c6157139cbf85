"""The graph as a step function: computes the next command, and the run's new state from the outcome."""
