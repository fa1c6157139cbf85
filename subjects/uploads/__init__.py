"""Uploads: documents of a tenant's own, in collections that its runs can search."""
