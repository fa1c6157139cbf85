"""A tenant as a whole: everything that it owns as one file, and its deletion with all of that."""
