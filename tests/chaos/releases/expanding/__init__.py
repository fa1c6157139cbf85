"""The migrations of the next release."""
