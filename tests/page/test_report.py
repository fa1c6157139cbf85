"""A report in the page: read with its contents, each statement with the quote in its passage, by verdict."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from playwright.async_api import expect

from elcano.doors.page.quoted_claims import QuotePlaces
from elcano.doors.page.report_text import list_limitations, split_report
from elcano.graphs.report.report import CheckedCitation
from elcano.text.phrases import get_phrases
from tests.page.browsing import find_violations
from tests.page.conftest import OpenPage
from tests.tour.runs import DONE, PASSAGES, Tour

CITATION = CheckedCitation(claim="", number=1, verdict="verified", quote="froze", start=112, end=117, evidence="e")
PASSAGE = {"id": "e", "text": "The harbour froze in winter.", "start": 100, "source": "log", "locator": "harbour.md"}


async def test_a_citation_leads_to_its_reference_and_a_statement_to_its_passage(
    open_tour_page: OpenPage, tour: Tour
) -> None:
    async with open_tour_page(java_script_enabled=False) as page:
        await page.goto(f"/runs/{tour.runs[DONE]}?view=overview")
        await page.get_by_role("link", name="Read the report").click()
        await page.locator(".report a.number").first.click()
        await expect(page.locator(".report li:target")).to_have_count(1)
        await page.locator(".claim-list summary").first.click()
        quoted = await page.locator(".claim-list mark").first.inner_text()
        assert any(quoted in text for text in PASSAGES.values())
        await page.locator(".source-list summary").first.click()
        await page.locator(".rests a").first.click()
        await expect(page.locator(".claim-list li:target")).to_have_count(1)


async def test_a_citation_opens_its_passage_and_a_click_brings_the_report_up_to_date(
    open_tour_page: OpenPage, tour: Tour
) -> None:
    async with open_tour_page() as page:
        await page.goto(f"/runs/{tour.runs[DONE]}/report")
        await page.locator(".report a.number").first.click()
        quoted = await page.locator(".claim-list mark:visible").first.inner_text()
        assert any(quoted in text for text in PASSAGES.values())
        assert await find_violations(page) == []
        await page.keyboard.press("Escape")
        await page.get_by_text("Change this report…").click()
        await page.get_by_role("button", name="Bring it up to date").click()
        await page.wait_for_url(lambda url: "/runs/" in url and tour.runs[DONE] not in url, timeout=60_000)
        await page.wait_for_url("**/report", timeout=60_000)
        await expect(page.locator(".report")).to_contain_text("0 quotes outdated")


async def test_the_certificate_is_verified_in_the_page_also_when_what_is_stored_was_changed(
    open_tour_page: OpenPage, tour: Tour
) -> None:
    async with open_tour_page(java_script_enabled=False) as page:
        await page.goto(f"/runs/{tour.runs[DONE]}/report")
        await page.get_by_role("link", name="Verify the certificate").click()
        await expect(page.locator("#certificate-title + p")).to_contain_text("It holds")
        checks = page.locator("main ol > li")
        assert await checks.count() == 11
        await expect(checks.locator(".bad")).to_have_count(0)
        with changed_texts(tour.stack.settings.data_dir / "elcano.db"):
            await page.reload()
            await expect(page.locator("#certificate-title + p")).to_contain_text("It does not hold")
            await expect(
                page.locator("main ol > li", has_text="Every cited passage is in its stored text")
            ).to_contain_text("evidence")


@contextmanager
def changed_texts(database: Path) -> Iterator[None]:
    """A store in which somebody writes into all texts that were read."""
    for before, after in (("water", "oil"), ("oil", "water")):
        with closing(sqlite3.connect(database, timeout=30)) as connection, connection:
            connection.execute("UPDATE texts SET text = replace(text, ?, ?)", (before, after))
        if after == "oil":
            yield


def test_a_quote_stands_in_its_passage_only_where_it_is() -> None:
    places = QuotePlaces([PASSAGE])
    quote = places.build_quote(CITATION)
    assert (quote.before, quote.cited.quote, quote.after) == ("The harbour ", "froze", " in winter.")
    for strange in ({"start": 90}, {"end": 900}, {"start": None}):
        found = places.build_quote(CITATION.model_copy(update=strange))
        assert (found.before, found.after) == ("", "")
    assert QuotePlaces([]).build_quote(CITATION).passage is None


def test_doubts_lead_to_their_reasons_and_limitations_are_found_in_the_language_of_the_report() -> None:
    said = 'It is <em>so</em> <span class="doubt">(not verified)</span>.'
    body, _ = split_report(f'<main>\n<p><span class="statement doubted" id="statement-7">{said}</span></p>\n</main>')
    assert '<em>so</em><a class="doubt" href="#claim-7">not verified</a>.</span>' in body
    listed = "<ul>\n<li>A &amp; <em>B</em></li>\n</ul>"
    page = f"<main>\n<h2>Grenzen</h2>\n{listed}\n<h2>Next</h2>\n<ul>\n<li>C</li></ul></main>"
    named = page.replace("Grenzen", get_phrases("de").limitations)
    assert list(list_limitations(named, "de")) == ["A & B"]
    assert list(list_limitations(page, "")) == []


def test_parts_of_a_report_are_numbered_and_its_title_stands_above() -> None:
    body, contents = split_report("<body>\n<main>\n<h1>T</h1>\n<h2>A &amp; <em>B</em></h2>\n<h2>C</h2>\n</main>\n")
    assert contents == ["A & B", "C"]
    first, second = '<h2 id="part-1">A &amp; <em>B</em></h2>\n', '<h2 id="part-2">C</h2>\n'
    assert body == f"<section>{first}</section><section>{second}</section>"
    items = [f'<li id="reference-{number}">a\n<ul>\n<li>b</li>\n</ul>\n</li>\n' for number in range(19, 60)]
    listed = "".join(items)
    references, _ = split_report(f'<main>\n<h1>T</h1>\n<h2>R</h2>\n<ol start="19">\n{listed}</ol>\n</main>')
    parts = references.split("</section>")
    assert [part.count("id=") for part in parts] == [21, 20, 1, 0]  # the heading has one as well
    assert parts[1] == f'<section><ol start="39">{"".join(items[20:40])}</ol>'
    folded = f"<details>\n<ul>\n{listed}</ul>\n</details>\n"
    assert folded in split_report(f"<main>\n<h1>T</h1>\n<h2>R</h2>\n{folded}<ul>\n<li>a</li>\n</ul>\n</main>")[0]
    assert split_report("<p>nothing</p>") == ("", [])
    quoted = "<blockquote>\n<h2>B</h2>\n</blockquote>\n"
    assert split_report(f"<main>\n<h1>T</h1>\n{quoted}</main>")[0].count("<section>") == 1
