"""The steps of a run as shown to clients."""
