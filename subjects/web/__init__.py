"""The web: search engines name the pages, and the pages themselves are read, cut and quoted.

A search engine's description of a page is never evidence: a quote of it would be looked up in itself, and always found.
"""
