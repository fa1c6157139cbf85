"""The agents of the research loops, one a file."""
