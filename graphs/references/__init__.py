"""References as the field writes them: in words, as addresses, and in the forms that programs for references read."""
