"""Activities do: all I/O of a node. Each is one function with one input and one output model of `graphs.contracts`."""
