"""Articles are parsed while they are read, and read as if they had been parsed before."""

import pytest

from elcano.activities.passages.document import FileSkipped, Parsed
from elcano.subjects.documents.article_stream import ArticleStream, read_article
from elcano.subjects.documents.jats import read_jats
from elcano.subjects.documents.tei import read_tei

SECTION = "<sec id='s{0}'><label>{0}</label><title>Part {0}</title><p>" + "The moon pulls the sea. " * 40 + "</p></sec>"


def test_only_what_is_being_read_is_in_memory() -> None:
    article = f"<article><body>{''.join(map(SECTION.format, range(2_000)))}</body></article>".encode()
    held = []

    def count(stream: ArticleStream) -> Parsed:
        for body in stream.list_children(stream.root):
            for section in stream.list_children(body):
                held.append(sum(1 for _ in stream.root.iter()))
                assert section.findtext("title") == f"Part {len(held) - 1}"
        return Parsed([])

    read_article(article, ["article"], {"body", "sec"}, {"label", "title"}, count)
    assert len(held) == 2_000
    assert max(held) < 400, "4 elements of each section that fits into a piece of the file"


@pytest.mark.parametrize("shift", range(40))
def test_a_named_character_is_read_wherever_a_piece_of_the_file_ends(shift: int) -> None:
    text = "x" * (65_536 - 60 + shift) + " &thetasym;&mu;g &lt; 5 " + "y" * 70_000
    parsed = read_jats(f"<article><body><p>{text}</p></body></article>".encode())
    assert parsed.blocks[0].text.strip("xy") == " \u03d1\u03bcg < 5 "


def test_a_file_without_any_mark_for_many_pieces_is_read() -> None:
    parsed = read_jats(b"<article><body><p>" + b"word " * 60_000 + b"</p></body></article>")
    assert len(parsed.blocks[0].text.split()) == 60_000


def test_an_article_that_is_cut_off_is_refused_though_its_beginning_was_read() -> None:
    whole = f"<article><body>{''.join(map(SECTION.format, range(300)))}</body></article>".encode()
    assert len(read_jats(whole).blocks) == 600
    with pytest.raises(FileSkipped, match="no XML that can be read"):
        read_jats(whole[:-20])


def test_what_stands_before_and_within_sections_keeps_its_order() -> None:
    article = (
        "<article><front><article-meta><title-group><article-title>Tides</article-title></title-group></article-meta>"
        "</front><body><p>First.</p><sec><title>A</title><p>Second.</p><app-group><app><title>B</title><p>Third.</p>"
        "</app></app-group></sec></body><back><ref-list><title>Sources</title><ref id='r'><mixed-citation>Roe 2001."
        "</mixed-citation></ref></ref-list></back><floats-group><fig><caption><p>Waves.</p></caption></fig>"
        "</floats-group><sub-article><front-stub><title-group><article-title>Letter</article-title></title-group>"
        "</front-stub><body><p>Dear.</p></body></sub-article></article>"
    )
    parsed = read_jats(article.encode())
    assert parsed.title == "Tides"
    assert [block.text for block in parsed.blocks] == [
        "First.", "A", "Second.", "B", "Third.", "Waves.", "Sources", "Roe 2001.", "Letter", "Dear.",
    ]  # fmt: skip


def test_all_texts_of_a_corpus_are_read() -> None:
    one = (
        "<TEI><teiHeader><fileDesc><titleStmt><title>{0}</title></titleStmt></fileDesc></teiHeader><text><body><p>{0}."
    )
    one += "</p></body></text></TEI>"
    parsed = read_tei(f"<teiCorpus><teiHeader/>{one.format('Flood')}{one.format('Ebb')}</teiCorpus>".encode())
    assert [block.text for block in parsed.blocks] == ["Flood.", "Ebb."]


def test_ids_that_are_repeated_do_not_matter() -> None:
    text = "<p xml:id='a'>One.</p><p xml:id='a'>Two.</p>"
    parsed = read_tei(f"<TEI><text><body>{text}</body></text></TEI>".encode())
    assert [block.text for block in parsed.blocks] == ["One.", "Two."]
