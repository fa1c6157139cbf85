"""Branches side by side: their shares of the budget, the books of one visit, what each hands over."""
