"""Texts as words: one tokenizer, one list of stop words and one stemmer, for searching, weighing and comparing."""
