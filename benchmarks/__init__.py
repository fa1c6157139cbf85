"""What the promises cost, as ratios within one run: each file prints its figures, none of them is a test."""
