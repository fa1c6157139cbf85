"""The names that a graph can use: agents, tools and reducers, each with its input and output model."""
