"""Tokens of a text that nobody has counted: a fourth of its characters, rounded up, as the budget reckons."""

from elcano.graphs.values.tokens import CHARACTERS_PER_TOKEN


def estimated_tokens(characters: int) -> int:
    """The tokens that so many characters take, about."""
    return -(-characters // CHARACTERS_PER_TOKEN)
