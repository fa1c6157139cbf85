"""Measures similarity of passages: repeats, and relevance to a question. By words always, by vectors if installed.

Nothing here hides anything by itself: it says which passage repeats an older one and leaves both where they are.
"""
