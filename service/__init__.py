"""The use cases: start, follow, control and resume runs, read their steps and reports, and every call to Temporal."""
