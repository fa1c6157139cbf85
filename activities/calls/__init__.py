"""One attempt of one call: its model, its usage and line in the ledger, its beats, how it fails."""
