"""The steps of a run: listed, inspected, and compared with those of another run."""
