"""Figures that prompts and estimates share: how texts are counted, and how much of a report a prompt may hold."""

from typing import Final

CHARACTERS_PER_TOKEN: Final = 4
"""The usual rule of thumb for English text and the common tokenizers; also used where a provider reports no usage."""
PROMPT_TOKENS: Final = 800
"""Instructions and output schema of one agent call, for estimates."""
SECTION_TOKENS: Final = 1_500
"""One section of a report, with its quotes: what its draft is taken to have, and what rewriting it takes to answer."""
SO_FAR_TOKENS: Final = 3_000
"""How much of the report so far a section is written in view of."""
SUMMARY_TOKENS: Final = 16_000
"""How much of the whole report its summary is written from."""
SUMMARY_ANSWER_TOKENS: Final = 1_500
"""Key findings and limitations."""
