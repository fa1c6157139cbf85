"""Runs under way are controlled: each action is a body, an answer and a row; cancelling goes past the engine."""
