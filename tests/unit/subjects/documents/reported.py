"""A run that ended with a report on documents whose places are known, as it is left in a store."""

from pathlib import Path

from elcano.activities.report.additions import ReportMaterial
from elcano.activities.report.report_builder import build_report, build_report_ref
from elcano.graphs.catalogue.sources import build_collection_spec
from elcano.graphs.contracts import PublishCall
from elcano.graphs.report.report import Citation, Claim, Report, ReportDraft
from elcano.storage.evidence import Evidence
from elcano.storage.store import Store
from elcano.subjects.documents.local_sources import Folder
from elcano.subjects.documents.source import DocumentsSource
from tests.unit.operations.access.runs import leave_run
from tests.unit.subjects.documents.files import pdf

PAGES = [["A preface."], [*(f"Line {number} of the page." for number in range(30)), "Cod spawn in spring."]]
FILE = pdf(PAGES)
QUOTE = "Cod spawn in spring"
TABLE = "| Port | Range |\n| --- | --- |\n| Brest | 7 m |\n| Quebec | 4 m |\n"


def fill_folder(folder: Path) -> None:
    folder.mkdir()
    (folder / "cod.pdf").write_bytes(FILE)


async def find_passages(folder: Path, index: Path, query: str) -> list[Evidence]:
    source = DocumentsSource(build_collection_spec("fish"), Folder(folder, 10**6), index)
    found = await source.search(query, 3)
    await source.close()
    return list(found.evidence)


async def leave_report(store: Store, folder: Path, tmp_path: Path, quote: str = QUOTE) -> tuple[str, Report]:
    """A run of the default tenant with a report that quotes one sentence, twice in the same words."""
    own = store.of("default")
    run_id = await leave_run(own, "When do cod spawn?")
    source = DocumentsSource(build_collection_spec("fish"), Folder(folder, 10**6), tmp_path / "index.sqlite")
    found = await source.search(quote, 3)
    await source.close()
    passage = next(one for one in found.evidence if quote in one.text)
    await own.evidence.add(run_id, found.evidence, found.texts)
    claim = Claim(text="They spawn in spring [a].", citations=(Citation(evidence=passage.id, quote=quote, mark="a"),))
    draft = ReportDraft(title="Cod", key_findings=(claim,), conclusion=(claim,))
    call = PublishCall(
        run_id=run_id, question="When do cod spawn?", mode="iterative", models=("m",), draft=None, evidence=()
    )
    texts = {text.content_hash: text for text in found.texts}
    report = build_report(ReportMaterial(call, draft, found.evidence), texts)
    key = await own.artifacts.put(run_id, report.model_dump_json(), "application/json")
    run = await own.runs.get(run_id)
    assert run is not None
    ended = run.model_copy(update={"report": build_report_ref(report, key)})
    await own.runs.archive(ended, await own.runs.events(run_id))
    return run_id, report
