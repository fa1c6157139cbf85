"""Lists of HTML pages: items keep their marks, are quoted with what announces them, and never run into one another."""

from elcano.activities.passages.packing import assemble_document
from elcano.subjects.documents.html import read_html
from elcano.subjects.quoting.quotable_sentences import find_sentences

PAGE = (
    "<body><h1>Storage</h1><p>Every value in the database has one of these classes:</p>"
    "<ul><li>NULL for nothing at all</li><li><p><b>INTEGER</b> for signed numbers</p></li><li></li>"
    "<li>REAL for numbers with a point<ol><li>stored in eight bytes</li><li>never in four</li></ol></li></ul>"
    "<p>Nothing else is stored.</p></ul></ol></body>"
)


def test_items_keep_their_marks() -> None:
    texts = [block.text for block in read_html(PAGE.encode()).blocks]
    assert texts[2:7] == [
        "- NULL for nothing at all",
        "- INTEGER for signed numbers",
        "- REAL for numbers with a point",
        "1. stored in eight bytes",
        "2. never in four",
    ]
    assert texts[-1] == "Nothing else is stored."


def test_a_list_is_quoted_with_its_announcement() -> None:
    document = assemble_document(read_html(PAGE.encode()), "page", "text/html")
    quoted = [sentence.text for sentence in find_sentences(document.text)]
    assert quoted[0].startswith("Every value in the database has one of these classes:\n\n- NULL")
    assert quoted[0].endswith("never in four")


def test_items_without_an_announcement_are_quoted_one_by_one() -> None:
    page = b"<ul><li>The first tool reads tables from pages</li><li>The second tool writes them to disk</li></ul>"
    document = assemble_document(read_html(page), "page", "text/html")
    assert [sentence.text for sentence in find_sentences(document.text)] == [
        "The first tool reads tables from pages",
        "The second tool writes them to disk",
    ]


def test_lists_nested_without_end_are_read() -> None:
    blocks = read_html(b"<ul><li>" * 5_000 + b"deep").blocks
    assert [block.text for block in blocks] == ["- deep"]
