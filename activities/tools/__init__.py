"""Runs tools and looks: the kernel's own, such as searches, and those that plugins name by path."""
