"""The agents of teams."""
