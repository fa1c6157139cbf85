"""Reads PDF documents: characters by PDFium, their order and meaning by geometry of our own."""
