"""The web: search engines name the pages, and the pages themselves are read, cut and quoted.

A search engine's description of a page is never evidence; see docs/decisions/0042-quote-pages-not-snippets.md.
"""
