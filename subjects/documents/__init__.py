"""Documents: a collection of files or readmes, read into stored texts and searched by one local index.

A collection only lists documents with a cheap fingerprint and returns their bytes; reading, packing, indexing and
searching are the same for all of them.
"""
