"""Statistics over numbers that were read out of passages: checked, made comparable, pooled, tested, drawn."""
