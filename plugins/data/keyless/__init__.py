"""Rules by which saved questions are answered without a language model."""
