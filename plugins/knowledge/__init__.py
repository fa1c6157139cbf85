"""What a run adds to the knowledge graph, and how the graph is searched."""
