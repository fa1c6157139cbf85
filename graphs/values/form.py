"""Which form a report has, by the kind of its question. What a form asks for: `graphs.agents.envelope`."""

from typing import Annotated, Any, Final, Literal, TypeAlias, get_args

from pydantic import BeforeValidator

ReportForm: TypeAlias = Literal["plain", "comparison", "how_to", "overview", "yes_no", "review", "timeline"]
"""`plain`: a question that wants its answer and no more. Empty, where a field allows it: nobody has said."""

KNOWN: Final = frozenset(get_args(ReportForm))


def _normalize_form(said: Any) -> Any:
    """The form that a model means, however it spells it; empty, as if it had said nothing, if there is no such one."""
    if said is None:
        return ""
    if not isinstance(said, str):
        return said
    name = "_".join(said.casefold().replace("-", " ").split())
    return name if name in KNOWN else ""


SaidForm: TypeAlias = Annotated[ReportForm | Literal[""], BeforeValidator(_normalize_form)]
"""A form as a model answers it: an answer that is otherwise good is not worth another call for a name."""
