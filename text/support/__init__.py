"""Whether a sentence is supported by the words it quotes: where they are, what they name and what they speak of."""
