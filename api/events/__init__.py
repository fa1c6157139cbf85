"""Events are read as they are recorded, merged into one feed a run and sent to every client."""
