"""Verifies a certificate: recomputes everything that can be recomputed, and names each part that differs."""
