"""Two releases to come: the next adds a column that its programs fill, the one after takes away its default."""
