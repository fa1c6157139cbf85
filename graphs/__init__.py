"""Graphs describe: what a run is, as pure data and pure functions.

Nothing in this room reads a clock, opens a file or knows Temporal, a model provider or HTTP. Everything here can be
called in a unit test, in a workflow and in a browser preview, and gives the same answer each time.
"""
