"""Research loops: the modes `simple`, `iterative` and `deep`, with their agents and reducers."""
