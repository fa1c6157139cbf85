"""The web: search engines say which pages there are, and the pages themselves are read, cut and quoted.

What a search engine says of a page is never evidence; see docs/decisions/0042-quote-pages-not-snippets.md.
"""
