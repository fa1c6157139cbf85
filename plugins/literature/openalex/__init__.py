"""OpenAlex: an index of the scholarly works of the world, with abstracts, retractions and where they can be read."""
