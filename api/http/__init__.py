"""The wire format: request models, response models, problem responses and the checks that run before routing."""
