"""Storage of what runs leave behind: evidence, artifacts, the usage ledger, archived runs, offloaded payloads.

Each kind of data has a file; `open_store` opens them all.
"""
