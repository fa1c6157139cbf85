"""Answers over databases: numbers proven by cells, results merged by their keys, one fitting chart."""
