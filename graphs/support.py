"""Whether words are supported by what they quote: of statements of reports, and of claims that are kept of them."""

from typing import Literal, TypeAlias

Support: TypeAlias = Literal["supported", "partly", "not_supported", "unchecked"]
"""Whether the quotes of a statement say what it says. `unchecked`: its quotes are where it says, no more is known."""
