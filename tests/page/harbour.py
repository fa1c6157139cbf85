"""A report of our own about a harbour that froze: sources of every kind, doubts of every kind, left in a store.

The tests of the reading view and the picture in the README show it; its measurements take a longer one.
"""

import io
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from email.message import EmailMessage
from pathlib import Path
from typing import Final, NamedTuple

import docx

from elcano.activities.report.additions import ReportMaterial
from elcano.activities.report.report_builder import build_report, build_report_ref
from elcano.api.app import create_app
from elcano.graphs.catalogue.sources import build_collection_spec
from elcano.graphs.contracts import PublishCall
from elcano.graphs.report.report import Citation, Claim, DraftSection, Judgement, Report, ReportDraft, Support
from elcano.settings import Settings
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.store import Store, open_store
from elcano.subjects.documents.local_sources import Folder
from elcano.subjects.documents.source import DocumentsSource
from tests.api.serving import serving
from tests.unit.operations.access.runs import connect_to_nothing, leave_run
from tests.unit.subjects.documents.office_files import presentation, shape, sheet_xml, slide_xml, workbook

QUESTION: Final = "What did the winter of 1893 cost the harbour of Norvik, and what was learnt from it?"
COLLECTION: Final = "norvik"
PDF: Final = "harbour-report.pdf"
_PAGES: Final = """
#set document(title: "Report of the harbour office for 1893")
#set page(paper: "a4", margin: (x: 2.6cm, y: 2.4cm), numbering: "1")
#set text(size: 11pt)
#set par(justify: true, leading: 0.75em)
#show table: set text(size: 10pt)
= Report of the harbour office for 1893
_To the council of the town of Norvik_

== The ice
The harbour froze on 9 December and stayed closed for 94 days. No winter since the office keeps its books was longer:
that of 1871 closed the harbour for 51 days. The ice was measured every Monday at the end of the long pier, with the
same auger and by the same two men, so that the figures of one week can be held against those of another.

#table(columns: 4, align: (left, right, right, right),
  [*Month*], [*Ice (cm)*], [*Days closed*], [*Ships waiting*],
  [December], [22], [23], [4], [January], [41], [31], [9], [February], [58], [28], [14], [March], [37], [12], [11])

The thickest ice was found on 20 February, when it bore a loaded sledge with two horses. From the first week of March
on it was cut by hand from the pier to the open water, by up to sixty men a day.

== What it cost
The office lost 18,400 crowns in dues that were not paid, which is a third of what a year brings. The cutting of the
channel cost 6,250 crowns in wages. Of this the merchants of the town gave 2,000 crowns of their own will.

#pagebreak()
== The fishing boats
Eleven boats were crushed at their moorings in the inner basin, all of them on the night of 20 February. None was lost
at the outer pier, where the swell keeps the ice loose. The boats were old: nine of the eleven had been built before
1860, and their owners had been told in the autumn to haul them out.

== What the office proposes
A tug with a strengthened bow would have kept a channel open until the end of January. Its price is given by the yard
at Holm as 41,000 crowns. The office proposes that the moorings of the inner basin be given up from November to April.
"""
_LETTER: Final = (
    ("A letter of Captain Lund", "We lay before the harbour for nineteen days and could see the lights of the town."),
    ("Provisions", "On the tenth day we shared our last flour with the crew of the Alma, who had none."),
)
_CHRONICLE: Final = """<!doctype html><html lang="en"><head><title>Chronicle of Norvik</title></head><body>
<h1>Chronicle of Norvik</h1><h2>1893</h2>
<p>In this year the sea was bridged. People walked from the town to the island of Grann, and a market was held on the
ice on three Sundays.</p><p>The price of bread doubled between Christmas and Lent.</p></body></html>"""
_WEEKS: Final = (
    ("Week", "Ice (cm)", "Air (°C)"),
    ("6 February", 49, -17),
    ("13 February", 55, -19),
    ("20 February", 58, -22),
)
_PILOT: Final = """# The pilot's notebook

The swell at the outer pier breaks the ice each night, so the boats there lie free by morning.

I told the owners in October that the inner basin would freeze first, as it always does.
"""


def write_sources(folder: Path) -> None:
    """Write a source of each kind into a folder: PDF, Word, a workbook, slides, mail, HTML, Markdown; one is broken."""
    import typst

    folder.mkdir(parents=True)
    (folder / PDF).write_bytes(typst.compile(_PAGES.encode(), format="pdf"))
    letter = docx.Document()
    letter.core_properties.title = "A letter of Captain Lund"
    for heading, text in _LETTER:
        letter.add_heading(heading, 1)
        letter.add_paragraph(text)
    out = io.BytesIO()
    letter.save(out)
    (folder / "captain-lund.docx").write_bytes(out.getvalue())
    (folder / "ice.xlsx").write_bytes(workbook({"Ice": sheet_xml(_WEEKS)}))
    told = shape("Lessons for the council", kind="title"), shape("Boats at the outer pier came through the winter.")
    (folder / "council.pptx").write_bytes(presentation([slide_xml(*told)]))
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = "The tug", "yard@holm.example", "office@norvik.example"
    mail["Date"] = "Mon, 05 Mar 2012 09:00:00 +0000"
    mail.set_content("The drawings of 1894 show that the tug was ordered with a bow of double plates.\n")
    (folder / "tug.eml").write_bytes(bytes(mail))
    (folder / "chronicle.html").write_text(_CHRONICLE, encoding="utf-8")
    (folder / "pilot.md").write_text(_PILOT, encoding="utf-8")
    (folder / "customs.pdf").write_bytes(b"%PDF-1.4\nnot one\n")


FROZE: Final = "The harbour froze on 9 December and stayed closed for 94 days."
CRUSHED: Final = (
    "Eleven boats were crushed at their moorings in the inner basin, all of them on the night of 20 February."
)
DUES: Final = "The office lost 18,400 crowns in dues that were not paid, which is a third of what a year brings."
WAGES: Final = "The cutting of the channel cost 6,250 crowns in wages."
TUG: Final = "A tug with a strengthened bow would have kept a channel open until the end of January."
OLD: Final = "nine of the eleven had been built before 1860"
SWELL: Final = "The swell at the outer pier breaks the ice each night, so the boats there lie free by morning."
THICKEST: Final = "The thickest ice was found on 20 February, when it bore a loaded sledge with two horses."
FLOUR: Final = "On the tenth day we shared our last flour with the crew of the Alma, who had none."
MARKET: Final = "a market was held on the ice on three Sundays"
BREAD: Final = "The price of bread doubled between Christmas and Lent."
LESSON: Final = "Boats at the outer pier came through the winter."
PLATES: Final = "the tug was ordered with a bow of double plates"
DOUBTED: Final = "A tug would have kept the harbour open all winter."
UNFOUND: Final = "The council paid for every boat that was lost."
QUOTES: Final = (FROZE, CRUSHED, DUES, WAGES, TUG, OLD, SWELL, THICKEST, FLOUR, MARKET, BREAD, LESSON, PLATES)


def state_block(text: str, **quotes: str) -> tuple[str, dict[str, str]]:
    """A block as it is written, and the quotes of its marks."""
    return text, quotes


_INTRODUCTION: Final = state_block(
    "The harbour was closed for 94 days [a], eleven boats were crushed [b], and the office lost a third of a "
    "year's dues [c].",
    a=FROZE,
    b=CRUSHED,
    c=DUES,
)
_FINDINGS: Final = (
    state_block(
        "The boats in the inner basin were lost in one night [a]; those at the outer pier were not [b].",
        a=CRUSHED,
        b=SWELL,
    ),
    state_block(f"{DOUBTED[:-1]} [a].", a=TUG),
    state_block("Cutting a channel by hand cost 6,250 crowns in wages [a].", a=WAGES),
)
_SECTIONS: Final = {
    "How long the harbour was closed": (
        state_block(
            "The harbour froze on 9 December and stayed closed for 94 days [a]. The ice was thickest on 20 February, "
            "when it carried a loaded sledge [b]. Once it bore, a market was held on it on three Sundays [c].",
            a=FROZE,
            b=THICKEST,
            c=MARKET,
        ),
        state_block("The ice and the air, week by week:"),
        state_block(
            "| Week | Ice (cm) | Air (°C) |\n| --- | --- | --- |\n| 6 February | 49 [a] | -17 [a] |\n"
            "| 13 February | 55 [b] | -19 [b] |\n| 20 February | 58 [c] | -24 [c] |",
            a="6 February | 49 | -17",
            b="13 February | 55 | -19",
            c="20 February | 58 | -22",
        ),
    ),
    "What it cost": (
        state_block(
            "The office lost 18,400 crowns in dues [a], and the cutting of the channel cost 6,250 crowns [b]. "
            "Ships that lay off the harbour ran short: one crew shared its last flour with another [c]. "
            "In the town the price of bread doubled [d]. " + f"{UNFOUND[:-1]} [e].",
            a=DUES,
            b=WAGES,
            c=FLOUR,
            d=BREAD,
            e="The council has paid for each of the boats.",
        ),
        state_block("The insurers of the town raised what they asked by a half in the following year."),
    ),
    "What was learnt": (
        state_block(
            "- The inner basin is no place for boats in winter: what lay at the outer pier came through [a].\n"
            "- Most of the boats were old, nine of the eleven from before 1860 [b].\n"
            "- The tug that came later had a bow of double plates [c].",
            a=LESSON,
            b=OLD,
            c=PLATES,
        ),
        state_block("So moving the boats would have cost less than losing them [from a, b].", a=CRUSHED, b=SWELL),
    ),
}
_VERDICTS: Final[Mapping[str, tuple[str, Support, str]]] = {
    DOUBTED: (TUG, "not_supported", "the report says until the end of January, not all winter"),
    "Most of the boats were old, nine of the eleven from before 1860.": (
        OLD,
        "partly",
        "the quote says when nine were built, not that they were old for boats",
    ),
}


async def find_passages(
    folder: Path, index: Path, quotes: Sequence[str]
) -> tuple[list[Evidence], list[StoredText], set[str]]:
    """The passages that searches for these quotes find, their texts, and what could not be searched."""
    source = DocumentsSource(build_collection_spec(COLLECTION), Folder(folder, 10**7), index)
    passages, texts, warnings = dict[str, Evidence](), dict[str, StoredText](), dict[str, None]()
    for quote in (*quotes, "Week Ice Air February"):
        found = await source.search(quote, 3)
        passages |= {one.id: one for one in found.evidence}
        texts |= {one.content_hash: one for one in found.texts}
        warnings |= dict.fromkeys(found.warnings)
    await source.close()
    return list(passages.values()), list(texts.values()), set(warnings)


def write_claim(stated: tuple[str, dict[str, str]], passages: Sequence[Evidence]) -> Claim:
    text, quotes = stated
    cited = (
        Citation(evidence=_find_evidence(quote, passages), quote=quote, mark=mark) for mark, quote in quotes.items()
    )
    return Claim(text=text, citations=tuple(cited))


def _find_evidence(quote: str, passages: Sequence[Evidence]) -> str:
    """The passage that has a quote, line breaks and all; of one that none has, the first."""
    words = "".join(quote.split())
    return next((one.id for one in passages if words in "".join(one.text.split())), passages[0].id)


def write_draft(passages: Sequence[Evidence]) -> ReportDraft:
    """The draft of the report, with what its reviewer said."""

    def claim(stated: tuple[str, dict[str, str]]) -> Claim:
        return write_claim(stated, passages)

    sections = tuple(DraftSection(heading=name, claims=tuple(map(claim, told))) for name, told in _SECTIONS.items())
    findings = tuple(map(claim, _FINDINGS))
    judgements = tuple(
        Judgement(statement=text, support=support, reason=reason, evidence=(_find_evidence(quote, passages),))
        for text, (quote, support, reason) in _VERDICTS.items()
    )
    return ReportDraft(
        title="The winter of 1893 in the harbour of Norvik",
        introduction=(claim(_INTRODUCTION),),
        key_findings=findings,
        sections=sections,
        limitations=("No passage found says what the boats were worth.",),
        judgements=judgements,
    )


async def leave_harbour_report(store: Store, folder: Path, index: Path) -> str:
    """Leave a run that ended with the report; its id. `folder` has the sources of `write_sources`."""
    passages, texts, warnings = await find_passages(folder, index, QUOTES)
    draft = write_draft(passages)
    unread = _build(draft, passages, texts)
    held = tuple(
        Judgement(
            statement=one.text,
            support="supported",
            evidence=tuple(dict.fromkeys(cited.evidence for cited in one.citations)),
            context=one.context,
        )
        for part in unread.parts
        for block in part.blocks
        for one in block.statements
        if one.support == "unchecked" and one.citations
    )
    judged = draft.model_copy(update={"judgements": (*draft.judgements, *held)})
    return await leave(store, judged, passages, texts, sorted(warnings))


class Reading(NamedTuple):
    """The report, served."""

    url: str
    report: str
    """The path of its page."""
    store: Store
    settings: Settings
    folder: Path
    """Its sources."""


@asynccontextmanager
async def serve_harbour_report(folder: Path) -> AsyncIterator[Reading]:
    """Serve the report by an API of its own over a store, without Temporal: nothing of it needs a run that works."""
    sources = folder / "sources"
    write_sources(sources)
    async with open_store(folder / "data") as store:
        run_id = await leave_harbour_report(store, sources, folder / "index.sqlite")
        settings = Settings(data_dir=folder / "data", collections={COLLECTION: sources}, _env_file=None)
        async with serving(create_app(settings, store=store, client=connect_to_nothing)) as url:
            yield Reading(url, f"/runs/{run_id}/report", store, settings, sources)


async def leave(
    store: Store,
    draft: ReportDraft,
    passages: Sequence[Evidence],
    texts: Sequence[StoredText],
    warnings: Sequence[str] = (),
) -> str:
    """Leave a run of the default tenant with the report of a draft; its id."""
    own = store.of("default")
    run_id = await leave_run(own, QUESTION)
    await own.evidence.add(run_id, passages, texts)
    report = _build(draft, passages, texts, warnings, run_id)
    key = await own.artifacts.put(run_id, report.model_dump_json(), "application/json")
    run = await own.runs.get(run_id)
    assert run is not None
    now = time.time()
    ended = run.model_copy(
        update={"report": build_report_ref(report, key), "started_at": now - 400, "finished_at": now - 60}
    )
    await own.runs.archive(ended, await own.runs.events(run_id))
    return run_id


def _build(
    draft: ReportDraft,
    passages: Sequence[Evidence],
    texts: Sequence[StoredText],
    warnings: Sequence[str] = (),
    run_id: str = "",
) -> Report:
    call = PublishCall(
        run_id=run_id,
        question=QUESTION,
        mode="iterative",
        models=("a scripted model",),
        draft=None,
        evidence=(),
        sources=(COLLECTION,),
        warnings=tuple(warnings),
    )
    return build_report(ReportMaterial(call, draft, passages), {text.content_hash: text for text in texts})
