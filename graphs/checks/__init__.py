"""What is refused before a run starts: graphs with faults, and limits that cannot work."""
