"""Runs that go on after their end or from an earlier step, and runs that begin as another one did."""
