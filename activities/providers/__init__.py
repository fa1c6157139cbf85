"""How providers are called: in turn, not while they want to be left alone, and how that is told to everybody."""
