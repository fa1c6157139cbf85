"""A graph without Temporal: the engine's own walk in memory, under the name that tests use."""

from elcano.graphs.dry_run.in_memory_run import Performer, run_in_memory

__all__ = ["Performer", "run_in_memory"]
