"""Estimates the tokens of a text: a quarter of its characters, rounded up, as the budget assumes."""

from elcano.graphs.rules import CHARACTERS_PER_TOKEN


def estimated_tokens(characters: int) -> int:
    """The tokens that so many characters take, about."""
    return -(-characters // CHARACTERS_PER_TOKEN)
