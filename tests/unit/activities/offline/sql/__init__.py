"""SQL by rules, over a small shop whose every row is known."""
