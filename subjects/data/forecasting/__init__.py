"""Forecasts of series in results: read strictly, back-tested, computed in a process of their own."""
