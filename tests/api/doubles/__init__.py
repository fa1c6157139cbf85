"""Services of others on loopback, which answer what is made up here; and what a run over all of them finds."""
