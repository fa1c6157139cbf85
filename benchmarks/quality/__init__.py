"""How good reports without a language model are, in one run and without a server: `python -m benchmarks.quality`."""
