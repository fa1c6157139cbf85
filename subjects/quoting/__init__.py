"""The model that needs no key: it answers by quoting, and says so."""
