"""Checks before a run starts: graphs with faults and limits that cannot work are refused."""
