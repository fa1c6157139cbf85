"""Words, numbers, dates, units and languages of texts, and whether words support a statement: pure, for every room."""
