"""The agents of the research loops."""
