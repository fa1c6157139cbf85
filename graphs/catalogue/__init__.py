"""What a graph can name: agents, tools and reducers, each with its input and output model."""
