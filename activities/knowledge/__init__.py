"""What a run leaves in the knowledge graph, and what is searched there."""
