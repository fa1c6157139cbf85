"""Storage keeps: what a run leaves behind. Evidence, artifacts, the usage ledger, archived runs, offloaded payloads.

Each kind has an interface (`Protocol`) beside its embedded SQLite form; `open_store` puts them together.
"""
