"""The agents of teams, one a file."""
