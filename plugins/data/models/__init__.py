"""The data that questions to databases travel in. Pure: workflows load it."""
