"""The fixed words of a report are in the language of its question; whether nothing answers or nothing can be told."""

import re

from elcano.activities.report.citation_check import check_citations
from elcano.graphs.report.report import Citation, Claim, DraftSection, ReportDraft
from elcano.graphs.state.failures import Ending
from elcano.graphs.state.plan import SectionResult
from elcano.text.phrases import get_phrases
from tests.unit.activities.report.rendered import render_draft
from tests.unit.activities.report.test_rendering import CALL, OIL, TEXT, WATER

GERMAN = CALL.model_copy(
    update={"question": "Was kostet das Öl, und warum ist es so teuer?", "ending": Ending(kind="time")}
)
QUOTED = ReportDraft(
    title="Öl",
    key_findings=(Claim(text="Oil is dear", citations=(Citation(evidence=OIL.id, quote="Oil is dear"),)),),
    limitations=("Nichts.",),
    quoted=True,
)


def rendered(draft: ReportDraft) -> str:
    return render_draft(GERMAN, check_citations(draft, [OIL, WATER], {TEXT.content_hash: TEXT}))


def test_headings_and_sentences_are_in_the_language_of_the_question() -> None:
    text = rendered(QUOTED)
    assert re.findall("^## (.*)$", text, re.MULTILINE) == [
        "Wichtigste Ergebnisse",
        "Einschränkungen",
        "Warnungen",
        "Was durchsucht wurde",
        "Quellenverzeichnis",
    ]
    assert "> Gefragt: Was kostet das Öl" in text
    assert "**Teilergebnis:** Der Lauf endete vorzeitig: seine Zeit war aufgebraucht." in text
    assert "Quellen: docs." in text


def test_an_answer_that_is_not_there_and_one_that_cannot_be_told_are_two_things() -> None:
    words = get_phrases("de")
    draft = QUOTED.model_copy(update={"answered": False, "key_findings": ()})
    assert f"**{words.not_answered}**" in rendered(draft)
    untold = rendered(draft.model_copy(update={"limitations": (words.other_language, "Nichts.")}))
    assert f"**{words.other_language}**" in untold
    assert words.not_answered not in untold
    assert untold.count(words.other_language) == 1
    assert "- Nichts." in untold


def test_doubts_and_early_ends_are_told_in_the_language_of_the_report() -> None:
    """What a limit ended needs no other words; of a failure its message stays as it was told."""
    written = Claim(
        text="Das Öl war teuer und kostete 470 Euro [a].",
        citations=(Citation(evidence=OIL.id, quote="Oil is dear", mark="a"),),
    )
    draft = ReportDraft(title="Öl", sections=(DraftSection(heading="Preis", claims=(written,)),))
    early = SectionResult(
        title="Preis", key_question="?", draft="0" * 64, ending="no iteration left", ended_by="iterations"
    )
    failed = early.model_copy(update={"ending": "503 from the docs", "ended_by": "provider"})
    checked = check_citations(draft, [OIL, WATER], {TEXT.content_hash: TEXT})
    one, other = (
        render_draft(GERMAN.model_copy(update={"sections": (section,)}), checked) for section in (early, failed)
    )
    assert "470 Euro. — „470 Euro“ steht in keiner der zitierten Stellen." in one
    assert "endete vorzeitig: alle seine Durchgänge waren aufgebraucht." in one
    assert "endete vorzeitig: 503 from the docs." in other
