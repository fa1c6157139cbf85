"""Teams of agents: the modes `magentic` and `hierarchical`, with their agents and reducers."""
