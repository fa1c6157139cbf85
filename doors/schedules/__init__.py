"""Schedules: questions that are asked again and again, by Temporal's own schedules."""
