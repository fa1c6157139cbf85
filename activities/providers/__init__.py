"""Calls providers in turn, leaves them alone when they ask for it, and publishes their status."""
