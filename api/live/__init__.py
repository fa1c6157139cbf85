"""Live runs: reads journals as they are written, merges them into one feed and sends it to every client."""
