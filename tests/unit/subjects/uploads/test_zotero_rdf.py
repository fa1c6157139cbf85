"""What Zotero exports by itself becomes works with their identifiers, and XML that is meant to harm is refused."""

from typing import Final

import pytest

from elcano.activities.passages.document import FileSkipped
from elcano.graphs.report.works import Identifiers, Work
from elcano.subjects.documents.csl_works import read_csl_work
from elcano.subjects.uploads.reading_lists import BIBTEX, ZOTERO_RDF, Entry, find_list_type, parse_list

HEAD: Final = """<rdf:RDF
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns:z="http://www.zotero.org/namespaces/export#"
 xmlns:dcterms="http://purl.org/dc/terms/"
 xmlns:bib="http://purl.org/net/biblio#"
 xmlns:foaf="http://xmlns.com/foaf/0.1/"
 xmlns:link="http://purl.org/rss/1.0/modules/link/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:prism="http://prismstandard.org/namespaces/1.2/basic/">
"""


def person(family: str, given: str = "", element: str = "givenName") -> str:
    told = f"<foaf:{element}>{given}</foaf:{element}>" if given else ""
    return f"<rdf:li><foaf:Person><foaf:surname>{family}</foaf:surname>{told}</foaf:Person></rdf:li>"


ARTICLE: Final = f"""
<bib:Article rdf:about="https://journal.example/ladders">
  <z:itemType>journalArticle</z:itemType>
  <dcterms:isPartOf rdf:resource="urn:issn:0028-0836"/>
  <bib:authors><rdf:Seq>{person("Doe", "Jane")}{person("Roe", "R.", "givenname")}{person("Ladder Board")}</rdf:Seq>
  </bib:authors>
  <dcterms:isReferencedBy rdf:resource="#item_9"/>
  <link:link rdf:resource="#item_3"/>
  <dc:subject><z:AutomaticTag><rdf:value>safety</rdf:value></z:AutomaticTag></dc:subject>
  <dc:title>Ladders of &lt;i&gt;Fraxinus&lt;/i&gt;</dc:title>
  <dcterms:abstract>Ash holds. Pine &lt; ash.</dcterms:abstract>
  <dc:date>2024-05-17</dc:date>
  <z:language>en</z:language>
  <dc:identifier><dcterms:URI><rdf:value>https://journal.example/ladders</rdf:value></dcterms:URI></dc:identifier>
  <dc:description>PMID: 12345
Read in the train</dc:description>
  <bib:pages>10\N{EN DASH}19</bib:pages>
</bib:Article>
<bib:Journal rdf:about="urn:issn:0028-0836">
  <dc:title>Ladder Science</dc:title><prism:volume>3</prism:volume><prism:number>2</prism:number>
  <dc:identifier>DOI 10.1000/ABC.d</dc:identifier><dc:identifier>ISSN 0028-0836</dc:identifier>
</bib:Journal>
<z:Attachment rdf:about="#item_3">
  <z:itemType>attachment</z:itemType><dc:title>Full text</dc:title><z:path rdf:resource="files/3/Doe.pdf"/>
</z:Attachment>
<bib:Memo rdf:about="#item_9"><rdf:value>&lt;p&gt;Doubtful.&lt;/p&gt;&lt;p&gt;PMID: 99&lt;/p&gt;</rdf:value></bib:Memo>
"""
OTHERS: Final = f"""
<rdf:Description rdf:about="urn:isbn:979-8">
  <z:itemType>conferencePaper</z:itemType><z:citationKey>roe2019</z:citationKey>
  <dcterms:isPartOf><bib:Part><dc:title>Section B</dc:title><dcterms:isPartOf><bib:Journal>
    <dcterms:isPartOf><bib:Series><dc:title>A series</dc:title></bib:Series></dcterms:isPartOf>
    <dc:identifier>DOI 10.1000/conf</dc:identifier><dc:title>Proceedings</dc:title>
  </bib:Journal></dcterms:isPartOf></bib:Part></dcterms:isPartOf>
  <dc:publisher><foaf:Organization><foaf:name>A Press</foaf:name></foaf:Organization></dc:publisher>
  <z:presenters><rdf:Seq>{person("Roe", "R.")}</rdf:Seq></z:presenters>
  <dc:title>A talk</dc:title><dc:date>May 3, 2019</dc:date>
</rdf:Description>
<rdf:Description rdf:about="https://archive.example/1">
  <z:itemType>preprint</z:itemType><dc:title>A preprint</dc:title><z:archiveID>arXiv:2001.01234</z:archiveID>
  <dc:identifier>DOI 10.48550/arXiv.2001.01234</dc:identifier>
</rdf:Description>
<bib:Book rdf:about="#item_5"><z:itemType>book</z:itemType><prism:volume>7</prism:volume></bib:Book>
<bib:Memo rdf:about="#item_6"><z:itemType>note</z:itemType><rdf:value>Alone</rdf:value></bib:Memo>
<z:Collection rdf:about="#collection_1">
  <dc:title>Ladders</dc:title><dcterms:hasPart rdf:resource="urn:isbn:979-8"/>
</z:Collection>
"""


def entries(body: str) -> list[Entry]:
    return list(parse_list(ZOTERO_RDF, f"{HEAD}{body}</rdf:RDF>".encode()))


def works(body: str) -> dict[str, Work]:
    found = (one for one in entries(body) if not one.fault)
    return {one.name: Work.model_validate_json(read_csl_work(one.item.encode()).work) for one in found}


def test_an_article_is_read_with_what_stands_at_its_journal_and_in_its_notes() -> None:
    found = works(ARTICLE)
    assert found == {
        "2024_Ladders_of_i_Fraxinus_i": Work(
            title="Ladders of Fraxinus",
            authors=("Doe, Jane", "Roe, R.", "Ladder Board"),
            year=2024,
            published="2024-05-17",
            venue="Ladder Science",
            issns=("0028-0836",),
            volume="3",
            issue="2",
            pages="10-19",
            kind="article",
            identifiers=Identifiers(pmid="12345", doi="10.1000/abc.d"),
            url="https://journal.example/ladders",
            language="en",
            flags=("abstract_only",),
        )
    }
    (entry,) = entries(ARTICLE)
    assert [block.text for block in read_csl_work(entry.item.encode()).blocks] == ["Ash holds. Pine < ash."]
    assert entry.notes == "# Notes on Ladders of Fraxinus\n\nRead in the train\n\nDoubtful.\n"


def test_other_works_are_read_and_what_is_none_is_told() -> None:
    found = works(OTHERS)
    talk = found["roe2019"]
    assert (talk.venue, talk.publisher, talk.authors, talk.year) == ("Proceedings", "A Press", ("Roe, R.",), 2019)
    assert talk.identifiers == Identifiers(doi="10.1000/conf")
    preprint = found["A_preprint"]
    assert (preprint.kind, preprint.identifiers.arxiv) == ("preprint", "2001.01234")
    assert {one.name: one.fault for one in entries(OTHERS) if one.fault} == {
        "entry-3": "it has no title",
        "entry-4": "it is a note that belongs to no work",
    }


def test_nodes_that_are_in_each_other_end() -> None:
    body = """<bib:Article><z:itemType>journalArticle</z:itemType><dc:title>T</dc:title>
    <dcterms:isPartOf rdf:resource="#a"/></bib:Article>
    <bib:Journal rdf:about="#a"><dcterms:isPartOf rdf:resource="#b"/></bib:Journal>
    <bib:Journal rdf:about="#b"><dc:title>B</dc:title><dcterms:isPartOf rdf:resource="#a"/></bib:Journal>"""
    assert works(body)["T"].venue == "B"


BOMB: Final = "<!DOCTYPE rdf:RDF [<!ENTITY a 'ha'>" + "".join(
    f"<!ENTITY {chr(98 + at)} '{f'&{chr(97 + at)};' * 10}'>" for at in range(12)
)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (f"{BOMB}]>{HEAD}<dc:title>&m;</dc:title></rdf:RDF>", "amplification"),
        (f"<!DOCTYPE rdf:RDF [<!ENTITY x SYSTEM 'file:///etc/hostname'>]>{HEAD}&x;</rdf:RDF>", "it declares entities"),
        (f"{HEAD}{'<dc:title>' * 100_000}{'</dc:title>' * 100_000}</rdf:RDF>", "depth"),
        (f"{HEAD}<dc:title>{'x' * 11_000_000}</dc:title></rdf:RDF>", "it is no XML that can be read: .*too long|huge"),
        (f"{HEAD}<bib:Article>cut off", "it is no XML that can be read"),
        (f"{HEAD}</rdf:RDF>", "it has no entries"),
        (f"{HEAD}{'<a/>' * 1_000_000}</rdf:RDF>", "it has no entries"),
    ],
    ids=["bomb", "file", "deep", "long", "cut", "empty", "wide"],
)
def test_xml_that_is_meant_to_harm_is_refused_in_a_sentence(data: str, reason: str) -> None:
    with pytest.raises(FileSkipped, match=reason):
        list(parse_list(ZOTERO_RDF, data.encode()))


@pytest.mark.parametrize(
    ("path", "data", "found"),
    [
        ("My Library.rdf", HEAD, ZOTERO_RDF),
        ("export", f"<?xml version='1.0'?>\n{HEAD}", ZOTERO_RDF),
        ("a.rdf", f"{BOMB}]>{HEAD}", ZOTERO_RDF),
        ("ontology.rdf", HEAD.replace("zotero", "other"), ""),
        ("about.html", f"<html><pre>{HEAD}</pre>", ""),
        ("a.bib", HEAD, BIBTEX),
    ],
)
def test_it_is_known_by_its_bytes(path: str, data: str, found: str) -> None:
    assert find_list_type(path, data.encode()) == found
