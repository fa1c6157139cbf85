"""Control actions on open runs."""
