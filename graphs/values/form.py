"""Which form a report has, by the kind of its question. What a form asks for is said in `agents/forms.py`."""

from typing import Literal, TypeAlias

ReportForm: TypeAlias = Literal["plain", "comparison", "how_to", "overview", "yes_no", "review", "timeline"]
"""`plain`: a question that wants its answer and no more. Empty, where a field allows it: nobody has said."""
