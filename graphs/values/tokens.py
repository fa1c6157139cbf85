"""Figures by which prompts are cut and texts counted: those of the newest rules, for a prompt is made when it is sent.

What leads a run, its estimates and what is kept for its exit, reads the rules of that run instead.
"""

from typing import Final

from elcano.graphs.rules import get_rules

CHARACTERS_PER_TOKEN: Final = get_rules().characters_per_token
PROMPT_TOKENS: Final = get_rules().prompt_tokens
SECTION_PASSAGES: Final = get_rules().section_passages
SO_FAR_TOKENS: Final = get_rules().so_far_tokens
SUMMARY_TOKENS: Final = get_rules().summary_tokens
SUMMARY_ANSWER_TOKENS: Final = get_rules().summary_answer_tokens
