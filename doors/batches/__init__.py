"""Batches: up to a thousand questions under one budget, each researched by a run of its own."""
