"""The knowledge graph: the contribution of each run, and its search."""
