"""AG-UI: runs as the events that front ends of agents understand."""
