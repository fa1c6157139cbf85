"""How alike passages are: what repeats what, and what is related to a question. Words always, vectors if installed.

Nothing here hides anything by itself: it says which passage repeats an older one and leaves both where they are.
"""
