"""JSON Schema, as far as an agent of one's own may use it: read, checked, and made into what a model is asked for."""
