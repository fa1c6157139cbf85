"""The embedded stack: Temporal's development server, a worker and the API as one program on one data folder."""
