"""Whether words are supported by what they quote: of statements of reports, and of claims that are kept of them."""

from typing import Literal, TypeAlias

Support: TypeAlias = Literal["supported", "partly", "in_passage", "not_supported", "unchecked"]
"""Whether the quotes of a statement say what it says. `in_passage`: the passages that it cites have what its quotes
leave out. `unchecked`: its quotes are where it says, nobody has read it, and code found nothing against it."""
