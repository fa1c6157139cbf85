"""The names that a graph can use: tools, reducers and sources, each with its input and output model."""
