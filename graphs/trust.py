"""The rules of a run on origins and hosts, as its asker chose them: code applies them before a model reads anything.

A blocked entry takes precedence over an allowed one. Allowed domains and journals are one list: a passage needs to fit
one of them. What has neither an address nor a journal (own documents, databases) is judged by its kind alone; what a
tool answers may be from anywhere, so next to such a list the kind `tool` has to be allowed by name. What travels with a
run is here; `trust_rules.py` applies it.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen

WorkKind: TypeAlias = Literal[
    "article", "review", "preprint", "trial", "book", "encyclopedia", "page", "document", "other"
]
PassageKind: TypeAlias = Literal[WorkKind, "database", "tool"]
"""The kinds of works, the rows of databases, and what MCP tools answer."""
OWN_KINDS: Final = frozenset({"document", "database"})
"""Kinds of the caller's or the operator's own data, which has no address on the web."""
KINDS_OF_SOURCES: Final[Mapping[str, PassageKind]] = {
    "documents": "document",
    "database": "database",
    "pages": "page",
    "encyclopedia": "encyclopedia",
    "trials": "trial",
}
"""The kind of all passages of a source, by the kind of the source; other sources say it of each work."""
EgressScope: TypeAlias = Literal["any", "public", "private", "hosts"]
MOST_ENTRIES: Final = 100
"""Entries of one list: the lists travel with every search."""


class Trust(Frozen):
    """The lists and the egress scope of a run, in their one spelling. It never changes once the run has started."""

    allowed_domains: tuple[str, ...] = ()
    """`example.org` with everything below it, or `*.gov`: only what is below."""
    blocked_domains: tuple[str, ...] = ()
    allowed_journals: tuple[str, ...] = ()
    """Names as of `trust_rules.parse_journal`, or ISSNs as `1234-567X`."""
    blocked_journals: tuple[str, ...] = ()
    allowed_kinds: tuple[PassageKind, ...] = ()
    blocked_kinds: tuple[PassageKind, ...] = ()
    egress: EgressScope = "any"
    """`public`: nothing private is read. `private`: nothing public is contacted, models included. `hosts`: only those
    of `egress_hosts` are."""
    egress_hosts: tuple[str, ...] = Field(default=(), max_length=MOST_ENTRIES)

    @property
    def names_origins(self) -> bool:
        """Whether passages have to be from an allowed domain or journal."""
        return bool(self.allowed_domains or self.allowed_journals)

    @property
    def egress_alone(self) -> "Trust":
        """The part that concerns calls of models."""
        return Trust(egress=self.egress, egress_hosts=self.egress_hosts)

    def explain_kind_refusal(self, kind: str, *, also_preprint: bool = False) -> str:
        """Why nothing of a kind may be taken in; empty if it may."""
        kinds = (kind, "preprint") if also_preprint else (kind,)
        if blocked := next((one for one in kinds if one in self.blocked_kinds), ""):
            return f"the kind {blocked!r} is blocked"
        if self.allowed_kinds and not any(one in self.allowed_kinds for one in kinds):
            return f"the kind {kind!r} is not among the allowed kinds"
        if kind == "tool" and self.names_origins and "tool" not in self.allowed_kinds:
            return "where a tool's answer is from is unknown, and the kind 'tool' is not among the allowed kinds"
        return ""


NO_LIMITS: Final = Trust()


def find_passage_kind(source: str, kind_of_source: str) -> str:
    """The kind of passages that describe no work, by the name of their source and its kind, empty if unknown."""
    return "tool" if source.startswith("mcp:") else KINDS_OF_SOURCES.get(kind_of_source, "other")
