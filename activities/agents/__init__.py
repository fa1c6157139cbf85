"""Calls agents: loads what each needs, asks its model, stores and reviews what it wrote. Plugins add the agents."""
