"""One file per kind of thing that can be asked for. A route parses, calls and maps; its docstring is its manual."""
