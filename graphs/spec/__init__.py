"""The definition of a graph: nodes and edges as frozen data, its maximum size, and its drawing."""
