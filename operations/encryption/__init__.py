"""Encryption of what Temporal, the database and the objects keep, with the operator's keys."""
