"""arXiv: preprints in physics, mathematics, computer science and their neighbours, with abstracts."""
