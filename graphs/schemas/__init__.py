"""The part of JSON Schema that custom agents may use: parsed, checked, and turned into models."""
