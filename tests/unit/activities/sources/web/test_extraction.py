"""What is read of a page: its main text, its passages, and what it says of itself."""

import json
from hashlib import sha256

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elcano.activities.sources.documents.document import FileSkipped
from elcano.activities.sources.web.extraction import MOST_LINKS, Page, Request, _answer, page_of, read
from tests.loopback import recorded
from tests.unit.activities.sources.files import pdf
from tests.unit.activities.sources.web.site import FILLER, html

URL = "https://a.example/b/c"


def taken(markup: str | bytes, **more: str) -> Page:
    return read(Request(".html", URL, **more), markup.encode() if isinstance(markup, str) else markup)


def of_recording(name: str) -> Page:
    body = recorded(f"web_pages/{name}").body
    assert isinstance(body, bytes)
    return taken(body)


@pytest.mark.parametrize(
    ("name", "title", "authors", "published", "site", "has", "lacks"),
    [
        (
            "blog_code.html",
            "Get your Frontend JavaScript Code Covered",
            ("Nicolas Perriault",),
            "2013-09-29",
            "",
            "code coverage might help",
            "Hi, I'm Nicolas",
        ),
        (
            "foundation_news.html",
            "Access to Wikipedia restored in Turkey after more than two and a half years",
            ("Wikimedia Foundation",),
            "2020-01-15",
            "Wikimedia Foundation",
            "We will keep this statement updated",
            "Stay up-to-date on our work.",
        ),
        (
            "news_portal.html",
            "Amnesty. More than 100 protesters killed in Iran unrest",
            (),
            "2019-11-20",
            "PanARMENIAN.Net",
            "snipers have also shot into crowds of people from rooftops",
            "Top stories",
        ),
        ("shift_jis.html", "「注記一覧」記載例文", ("青空文庫",), "", "青空文庫", "字下げ", "\ufffd"),
    ],
)
def test_recorded_pages(
    name: str, title: str, authors: tuple[str, ...], published: str, site: str, has: str, lacks: str
) -> None:
    page = of_recording(name)
    assert (page.document.title, page.authors, page.published, page.site) == (title, authors, published, site)
    assert has in page.document.text
    assert lacks not in page.document.text


def test_rows_of_a_table_stay_together() -> None:
    page = of_recording("table_heavy_wikipedia_list.html")
    row = next(line for line in page.document.text.splitlines() if line.startswith("Groundhog Day | "))
    assert row.startswith("Groundhog Day | 1993 | ")
    assert not row.endswith("|")


def test_passages_are_parts_of_the_text_with_their_headings() -> None:
    page = taken(
        "<!doctype html><title>Voyages</title><main><article><h1>Voyages</h1>"
        f"<h2>Depths <a href='#depths'>#</a></h2><p>{FILLER}</p>"
        f"<h2><a href=#winds>¶</a> Winds</h2><p>{FILLER.replace('pilot', 'boatswain')}</p></article></main>"
    )
    document = page.document
    parts = {passage.heading: document.text[passage.start : passage.end] for passage in document.passages}
    assert parts["Voyages > Depths"] == FILLER
    assert parts["Voyages > Winds"].startswith("The boatswain")


@pytest.mark.parametrize(
    "hidden",
    [
        "<p style='display:none'>SECRET: {0}</p>",
        "<div style='color:red; DISPLAY : none'><p>SECRET: {0}</p></div>",
        "<p style='visibility: hidden'>SECRET: {0}</p>",
        "<p style='font-size:0'>SECRET: {0}</p>",
        "<p hidden>SECRET: {0}</p>",
        "<p aria-hidden='true'>SECRET: {0}</p>",
        "<template><p>SECRET: {0}</p></template>",
        "<script>SECRET: {0}</script>",
        "<!-- SECRET: {0} -->",
    ],
)
def test_what_nobody_sees_is_not_read(hidden: str) -> None:
    others = [FILLER.replace("hour", f"hour of watch {number}") for number in range(8)]
    markup = html(*others).replace("</article>", hidden.format(FILLER) + "</article>")
    text = taken(markup).document.text
    assert "watch 7" in text
    assert "SECRET" not in text


@pytest.mark.parametrize("tag", ["<body hidden>", "<body style='display:none'>", "<body aria-hidden=true>"])
def test_a_page_that_its_scripts_show_is_read(tag: str) -> None:
    assert FILLER in taken(html(FILLER).replace("<body>", tag)).document.text


def test_what_is_hidden_within_what_is_hidden_is_taken_out_once() -> None:
    hidden = "<div hidden><p style='display:none'>A <b aria-hidden=true hidden style='font-size:0'>SECRET</b></p></div>"
    markup = html(FILLER).replace("</article>", hidden * 50 + "</article>")
    assert "SECRET" not in taken(markup).document.text


def test_dates_authors_and_names_are_what_the_markup_says() -> None:
    head = (
        "<meta property='article:published_time' content='2021-03-04T10:00:00Z'><meta name=author content='Ana Díaz'>"
        "<meta property='og:site_name' content='The Log'><link rel=canonical href='/b/c?id=1'><base href='/docs/'>"
    )
    links = "<a href='one'>1</a><a href='one#x'>1</a><a href='mailto:x'>m</a><a rel='nofollow ugc' href='/spam'>s</a>"
    page = taken(html(FILLER, FILLER + " Ever.", head=head, body=f"<footer>© 1999 {links}</footer>"))
    assert (page.published, page.authors, page.site) == ("2021-03-04", ("Ana Díaz",), "The Log")
    assert (page.language, page.canonical) == ("en", "https://a.example/b/c?id=1")
    assert page.links == ("https://a.example/menu", "https://a.example/docs/one")


def test_a_year_in_a_footer_is_no_date_of_the_page() -> None:
    assert taken(html(FILLER, body="<footer>© 2019 The Log. Updated often since 2004.</footer>")).published == ""


def test_a_page_without_a_title_is_called_as_the_search_engine_calls_it() -> None:
    markup = f"<!doctype html><body><p>{FILLER}</p><p>{FILLER} Ever.</p></body>"
    assert taken(markup, title="From the engine").document.title == "From the engine"
    assert taken(markup).document.title == URL


def test_links_are_bounded() -> None:
    links = "".join(f"<a href='/{number}'>x</a>" for number in range(MOST_LINKS + 50))
    assert len(taken(html(FILLER, body=links)).links) == MOST_LINKS


def test_pdf_and_plain_text_are_read_as_documents_are() -> None:
    page = read(Request(".pdf", URL, title="A paper"), pdf([["First page."], ["Second page."]]))
    assert [passage.page for passage in page.document.passages] == [1, 2]
    assert page.document.media_type == "application/pdf"
    assert read(Request(".txt", URL), b"words").document.text == "words"
    assert read(Request(".txt", URL), b"words").document.title == URL
    assert read(Request(".txt", URL, charset="Shift_JIS"), "鯨の話".encode("cp932")).document.text == "鯨の話"
    with pytest.raises(FileSkipped, match="not a readable PDF"):
        read(Request(".pdf", URL), b"%PDF-1.7 and no more")
    with pytest.raises(FileSkipped, match="no text"):
        read(Request(".txt", URL), b" \n ")


def test_a_recorded_pdf_of_one_table() -> None:
    body = recorded("web_pages/table.pdf").body
    assert isinstance(body, bytes)
    page = read(Request(".pdf", URL, title="Background checks"), body)
    assert "Alabama" in page.document.text
    assert page.document.passages[0].page == 1


def test_what_the_child_answers_is_the_page() -> None:
    request = '{"kind": ".html", "url": "https://a.example/b/c", "charset": "", "title": ""}'
    page = taken(html(FILLER))
    assert page_of(_through_json(_answer(request, html(FILLER).encode()))) == page
    assert _answer(request, b"") == {"skipped": "there is no text in it"}


@pytest.mark.parametrize("facts", [None, [], {}, {"authors": "x", "links": []}, {"authors": []}])
def test_an_answer_that_makes_no_sense_is_refused(facts: object) -> None:
    document = {"title": "", "media_type": "", "text": "", "passages": []}
    with pytest.raises(FileSkipped, match="understood"):
        page_of({**document, "facts": facts})


def _through_json(answer: object) -> dict[str, object]:
    found: dict[str, object] = json.loads(json.dumps(answer))
    return found


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="<>/ abpdivtablehrefscript=\"'&;!-\x00é", max_size=300))
def test_any_markup_is_read_or_left_out(markup: str) -> None:
    try:
        page = taken(f"{markup}<p>{FILLER}</p>")
    except FileSkipped:
        return
    text = page.document.text
    assert all(0 <= passage.start < passage.end <= len(text) for passage in page.document.passages)
    assert sha256(text.encode()).hexdigest()
