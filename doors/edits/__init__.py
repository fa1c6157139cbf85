"""Changes of a finished report by words: a run of its own that rewrites it from its passages, and checks it anew."""
