"""Additions of plugins to reports: data that are attached to them, and blocks of Markdown that code wrote.

An addition is made for every report. It is given all that the report is made of, and adds nothing where nothing
concerns it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from elcano.activities.report.checked_draft import CheckedDraft, cited_ids
from elcano.activities.report.work_merge import Works
from elcano.graphs.contracts import PublishCall
from elcano.graphs.frozen import JsonObject
from elcano.graphs.plugin import load_objects
from elcano.graphs.report.report import Citation, ReportDraft
from elcano.graphs.report.works import Work
from elcano.storage.evidence import Evidence
from elcano.text.phrases import Phrases


@dataclass(frozen=True)
class AddedText:
    """The text that one addition puts into a report. The blocks are Markdown."""

    data: JsonObject | None = None
    """Attached to the report under the addition's name; None: nothing is."""
    pictures: Mapping[str, str] = field(default_factory=dict)
    """Artifact hashes of the pictures (SVG) that its blocks show, by the paths that they name."""
    author: str = ""
    """Author of the report, in a sentence; empty: the usual one."""
    support: str | None = None
    """Extent of the checks, in a sentence with a space before it; None: as in all reports."""
    refusal: str = ""
    """Sentence that nothing answers the question; empty: the usual one."""
    opening: Sequence[str] = ()
    """Behind the key findings."""
    middle: Sequence[str] = ()
    """Behind the sections."""
    closing: Sequence[str] = ()
    """Behind the conclusion."""
    end: Sequence[str] = ()
    """Before the references."""
    doubts: Sequence[str] = ()
    """Unverified items, a line each."""
    passages: frozenset[str] = frozenset()
    """Ids of evidence that its blocks show, so that a report without a draft need not list it again."""
    shows: str = ""
    """Description of these, such as `results of queries`."""


class ReportAddition:
    """One plugin's addition to a report. Subclasses define it; this one adds nothing."""

    name: ClassVar[str]
    """The name under which its data are attached to drafts, to the run's last step and to reports."""
    citations: tuple[Citation, ...] = ()
    """The words that its blocks rest on; they are looked up and numbered as those of the draft are."""
    answers: bool = False
    """Whether it answers the question, whatever the writer says."""

    def __init__(self, material: "ReportMaterial") -> None:
        self.material = material

    def render(self, checked: CheckedDraft | None, words: Phrases) -> AddedText:
        """Return the added text. `checked`: the draft with its checked citations; None: there is no draft."""
        return AddedText()


@dataclass(frozen=True)
class ReportMaterial:
    """All that a report is made of, but for texts and days."""

    call: PublishCall
    draft: ReportDraft | None
    """None: the evidence is listed as it is, labelled as no more than that."""
    evidence: Sequence[Evidence]
    """The passages that the writer was given."""
    accounts: tuple[Work, ...] = ()
    """Data on their works from other passages."""
    attached: Mapping[str, JsonObject] = field(default_factory=dict)
    """The data that the run's steps attached, by the names of additions."""

    @cached_property
    def works(self) -> Works:
        """The works that the passages are of."""
        return Works(self.evidence, self.accounts)

    @cached_property
    def additions(self) -> tuple[ReportAddition, ...]:
        """The additions of the loaded plugins."""
        made: list[type[ReportAddition]] = load_objects("report_additions")
        return tuple(addition(self) for addition in made)

    @property
    def cited(self) -> set[str]:
        """Ids of the passages whose texts are needed: a report without a draft cites nothing."""
        if self.draft is None:
            return set()
        return {*cited_ids(self.draft), *(one.evidence for added in self.additions for one in added.citations)}

    @property
    def unknown(self) -> tuple[str, ...]:
        """Names of what is attached and no loaded plugin knows."""
        attached = (*self.attached, *(self.draft.attachments if self.draft else ()))
        return tuple(sorted({*attached} - {one.name for one in self.additions}))
