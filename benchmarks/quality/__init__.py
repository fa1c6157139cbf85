"""How good reports are: what is searched, quoted, claimed and checked, measured without a server."""
