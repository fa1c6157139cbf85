"""Lists are read as the tools that write them mean them: a tag, a number or a column by its database."""

import json

import pytest

from elcano.graphs.report.works import Work
from elcano.subjects.documents.csl_works import find_notes, read_csl_work
from elcano.subjects.uploads.reading_lists import (
    BIBTEX,
    CSL,
    ENDNOTE,
    ENDNOTE_XML,
    NBIB,
    RIS,
    TABLE,
    WEB_OF_SCIENCE,
    Entry,
    find_list_type,
    parse_list,
)


def read(path: str, text: str, kind: str, encoding: str = "utf-8") -> list[Work]:
    data = text.encode(encoding)
    assert find_list_type(path, data) == kind
    return [parse_work(one) for one in parse_list(kind, data)]


def parse_work(entry: Entry) -> Work:
    assert not entry.fault
    return Work.model_validate_json(read_csl_work(entry.item.encode()).work)


def read_ris(lines: str, kind: str = "JOUR") -> Work:
    (work,) = read("a.ris", f"TY  - {kind}\nTI  - Ladders\n{lines}\nER  - \n", RIS)
    return work


@pytest.mark.parametrize(
    ("lines", "published"),
    [
        ("PY  - 2019\nDA  - MAR 15", "2019-03-15"),  # Web of Science
        ("PY  - 2019\nDA  - SEP-OCT", "2019-09"),
        ("PY  - 2018\nDA  - 2017/12/01", "2018"),
        ("Y1  - 2024/04/03/", "2024-04-03"),  # EBSCO
        ("Y1  - 4-8 Aug. 2020", "2020-08"),  # IEEE
        ("PY  - 2024\nDA  - 2024///", "2024"),  # Zotero
        ("PY  - 2024\nDA  - 03/04/2024", "2024"),
        ("DA  - MAR 15", ""),
    ],
)
def test_the_year_of_ris_is_that_of_the_publication(lines: str, published: str) -> None:
    assert read_ris(lines).published == published


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        ("AN  - 31234567\nDB  - Ovid MEDLINE(R)", ("pmid:31234567",)),
        ("ID  - 31234567\nDB  - Ovid MEDLINE(R) <2019>", ("pmid:31234567",)),
        ("AN  - 21553931\nDP  - NLM", ("pmid:21553931",)),  # EndNote from PubMed
        ("AN  - 176404503\nDB  - aph\nDP  - EBSCOhost", ()),
        ("AN  - 2012345678\nDB  - Embase", ()),
        ("AN  - 889\nDB  - Embase\nDB  - Medline", ()),
        ("AN  - 1234567890\nDB  - ProQuest Central", ()),
        ("AN  - 12345678", ()),
        ("ID  - 889\nDB  - Medline", ()),
        ("AN  - MEDLINE:12345678\nDB  - WoS", ("pmid:12345678",)),
        ("C2  - 38580657\nDB  - Scopus", ("pmid:38580657",)),
        ("C2  - 38580657", ()),
        ("C2  - PMC7650737", ("pmcid:PMC7650737",)),  # EndNote
        ("C5  - 15368318\nDB  - Embase\nDB  - Medline", ("pmid:15368318",)),
        ("AN  - CN-00778158\nC3  - PUBMED 38407106,EMBASE 643589775", ("pmid:38407106",)),  # Cochrane
        ("U1  - 35957633 [PMID]\nU1  - PMC9359172 [PMCID]", ("pmid:35957633", "pmcid:PMC9359172")),  # Dimensions
        ("L3  - 10.1371/journal.pone.0298242", ("doi:10.1371/journal.pone.0298242",)),  # EBSCO
        ("M3  - doi:10.1011/hea0004444", ("doi:10.1011/hea0004444",)),  # PsycINFO
        ("DO  - Doi 10.1659/0276-4741(2006)26", ("doi:10.1659/0276-4741(2006)26",)),
        ("M3  - Article\nUR  - https://doi.org/10.1/X", ()),
        ("L2  - http://dx.doi.org/10.1038/X", ("doi:10.1038/x",)),  # Embase
        ("AN  - NCT01234567", ("nct:NCT01234567",)),
    ],
)
def test_numbers_of_ris_are_read_by_their_database(lines: str, names: tuple[str, ...]) -> None:
    assert tuple(one for one in read_ris(lines).identifiers.names if not one.startswith("url:")) == names


@pytest.mark.parametrize(
    ("lines", "pages"),
    [
        ("SP  - 10\nEP  - 20", "10-20"),
        ("SP  - 10\nEP  - 10-20", "10-20"),
        ("SP  - 10-20", "10-20"),
        ("SP  - 1279\u20101297", "1279-1297"),
        ("SP  - 12\nEP  - 3; discussion 13-14", "12-3; discussion 13-14"),
        ("SP  - 14316\nEP  - 14316", "14316"),
        ("SP  - pp 37-64", "37-64"),
        ("SP  - No\nEP  - Specified", ""),
        ("SP  - N.PAG\nEP  - N.PAG", ""),
        ("SP  - xii\nEP  - xv", "xii-xv"),
        ("C7  - e12292", "e12292"),
    ],
)
def test_pages_of_ris_are_pages(lines: str, pages: str) -> None:
    assert read_ris(lines).pages == pages


def test_an_abstract_of_ris_has_lines_that_look_like_tags() -> None:
    text = (
        "TY  - JOUR\nTI  - A\nAB  - Magnetic resonance with\nT2 - weighted images and\nER - positive tumours,\n"
        "O2  - levels\n"
        "ER  - positive ones as well\nwere compared.\nJO  - J\nER  - \n\nTY  - EJOUR\nTI  - B\nER  - \n"
    )
    first, second = list(parse_list(RIS, text.encode()))
    assert read_csl_work(first.item.encode()).blocks[0].text.split("\n")[1:] == [
        *("T2 - weighted images and", "ER - positive tumours,", "O2  - levels", "ER  - positive ones as well"),
        "were compared.",
    ]
    assert (parse_work(first).venue, parse_work(second).kind) == ("J", "article")


def test_numbers_and_names_of_providers_between_entries_are_no_faults() -> None:
    text = (
        "Record #3 of 18\nProvider: John Wiley & Sons, Ltd.\nContent: text/plain\n\nTY  -  JOUR\nTI  -  A\nER  - \n"
        "NL  - J Health Psychol\n47. \nLink to the Ovid Full Text or citation: \nhttps://example.org\n"
        "TY  - JOUR\nTI  - B\nER  -\n"
    )
    assert [work.title for work in read("export.txt", text, RIS)] == ["A", "B"]


def test_other_formats_within_ris_are_named() -> None:
    text = "TY  - JOUR\nTI  - A\nER  - \n\n@article{x,\n title={B}}\n"
    faults = [one.fault for one in parse_list(RIS, text.encode())]
    assert faults == ["", "line 5 belongs to no entry: '@article{x,'"]


def test_chapters_have_their_book_and_not_its_doi() -> None:
    chapter = read_ris("T2  - The Book\nA2  - Editor, E.\nDO  - 10.1234/978_3", "ECHAP")
    assert (chapter.kind, chapter.venue, chapter.identifiers.doi) == ("book", "The Book", "10.1234/978_3")
    bib = (
        "@book{b, title={The Book}, editor={Roe, R.}, doi={10.1234/978}, url={https://example.org/b}, year=2001}\n"
        "@incollection{c, crossref={b}, title={Part}, author={Doe, J.}, pages={1--9}}\n"
        "@incollection{d, title={Other}, booktitle={The Book}, author={Doe, J.}, doi={10.1234/978}}\n"
    )
    book, part, other = read("a.bib", bib, BIBTEX)
    assert (book.venue, book.identifiers.doi) == ("", "10.1234/978")
    assert (part.venue, part.identifiers.names, part.authors, part.year) == ("The Book", (), ("Doe, J.",), 2001)
    assert (other.venue, other.identifiers.doi) == ("The Book", "")


def test_bibtex_keeps_signs_and_reads_extended_names() -> None:
    bib = r"""@article{a, title={Below {\textless} 5, $2 \cdot 10^9$/L, 10\textsuperscript{9}, \unknowncommand and
      C\# --- {\textbraceleft}x{\textbraceright}},
      author={family=Silva, given=Maria, prefix=da and given=Jan, family={de Vries, Inc.}, suffix=Jr. and Doe, Jane},
      fjournal={Journal of Whole Names}, journal={J.}, number=3, issue=Spring, eid={e12}, month=mar, day=4, year=2020,
      eprint={123}, eprinttype={pubmed}}
    @misc{p, title={P}, eprint={2101.00001}, archiveprefix={arXiv}}"""
    work, preprint = read("a.bib", bib, BIBTEX)
    assert work.title == "Below < 5, 2·10⁹/L, 10⁹, \\unknowncommand and C# — {x}"
    assert work.authors == ("da Silva, Maria", "de Vries, Inc., Jan, Jr.", "Doe, Jane")
    assert (work.venue, work.issue, work.pages, work.published) == ("Journal of Whole Names", "3", "e12", "2020-03-04")
    assert work.identifiers.pmid == "123"
    assert (preprint.kind, preprint.identifiers.arxiv) == ("preprint", "2101.00001")


NBIB_TEXT = """
PMID- 30689646
OWN - NLM
IS  - 1932-6203 (Electronic)
VI  - 14
IP  - 1
DP  - 2019 Jan 28
TI  - [18F]FDG uptake between 2000 and 2015: a
      response.
PG  - 209-11
LID - 10.1371/journal.pone.0209483 [doi]
AB  - One long
      abstract.
FAU - Wu, Dan
AU  - Wu D
CN  - The Group
LA  - eng
PT  - Journal Article
PT  - Retracted Publication
JT  - PloS one
PMC - PMC123
RIN - PLoS One. 2020;1:2. PMID: 31

PMID- 2
TI  - [A title that was translated].
FAU - Roe, Jane
LA  - fre
PRIN- J. 2020;1
"""


def test_lists_of_pubmed_are_read() -> None:
    work, second = read("pubmed-x-set.txt", NBIB_TEXT, NBIB)
    assert work.model_copy(update={"issns": ()}) == Work(
        title="[18F]FDG uptake between 2000 and 2015: a response",
        authors=("Wu, Dan", "The Group"),
        year=2019,
        published="2019-01-28",
        venue="PloS one",
        volume="14",
        issue="1",
        pages="209-11",
        kind="article",
        language="eng",
        identifiers=work.identifiers,
        flags=("retracted", "abstract_only"),
        notices=("It was retracted: PLoS One. 2020;1:2. PMID: 31.",),
    )
    assert work.identifiers.names == ("pmid:30689646", "pmcid:PMC123", "doi:10.1371/journal.pone.0209483")
    assert (second.title, second.flags) == ("A title that was translated", ("concern",))


WOS_TEXT = """FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Doe, J
   Roe, AB
AF Doe, Jane
   Roe, Ann B.
CA Study Grp
TI Do magnetic adsorbents
   impact? (Retracted article. See vol. 12, pg 3, 2020)
SO SCIENCE OF THE TOTAL ENVIRONMENT
DT Article; Retracted Publication
AB An abstract.
SN 0048-9697
PD MAR 15
PY 2019
VL 656
AR 107890A
DI 10.1016/j.scitotenv.2018.11.375
UT WOS:000455039600059
PM 30529964
ER

PT B
AU Doe, J
TI A whole book
SO A WHOLE BOOK.
PY 2001
ER

EF
"""


def test_lists_of_web_of_science_are_read_as_text_and_as_table() -> None:
    work, book = read("savedrecs.txt", WOS_TEXT, WEB_OF_SCIENCE)
    assert (work.authors, work.published) == (("Doe, Jane", "Roe, Ann B.", "Study Grp"), "2019-03-15")
    assert (work.pages, work.flags) == ("107890A", ("retracted", "abstract_only"))
    assert work.identifiers.names == ("pmid:30529964", "doi:10.1016/j.scitotenv.2018.11.375")
    assert (book.kind, book.venue) == ("book", "")
    row = 'PT\tAU\tTI\tSO\tPY\tPD\tDI\nJ\tDoe, J; Roe, AB\tA "title\tSCIENCE\t2019\tMAR 15\t10.1000/x\n'
    (same,) = read("savedrecs.txt", row, TABLE, "utf-16")
    assert (same.title, same.authors, same.published) == ('A "title', ("Doe, J", "Roe, AB"), "2019-03-15")


def test_xml_of_endnote_is_read() -> None:
    style = '<style face="normal" font="default" size="100%">{}</style>'
    text = (
        '<?xml version="1.0" encoding="UTF-8"?><xml><records><record><ref-type name="Journal Article">17</ref-type>'
        f"<contributors><authors><author>{style.format('Doe, J.')}</author></authors></contributors>"
        f'<titles><title>{style.format("Counts of 10")}<style face="superscript">9</style>{style.format("/L")}</title>'
        "<secondary-title>Short</secondary-title></titles><periodical><full-title>Journal</full-title></periodical>"
        "<pages>1-9</pages><volume>3</volume><number>4</number><dates><year>2019</year><pub-dates><date>Sep 18</date>"
        "</pub-dates></dates><accession-num>31366609</accession-num><custom2>PMC6750137</custom2>"
        "<electronic-resource-num>10.1128/cmr.00011-19</electronic-resource-num>"
        "<remote-database-provider>NLM</remote-database-provider></record></records></xml>"
    )
    (work,) = read("library.xml", text, ENDNOTE_XML)
    assert (work.title, work.venue, work.published, work.issue) == ("Counts of 10⁹/L", "Journal", "2019-09-18", "4")
    assert work.identifiers.names == ("pmid:31366609", "pmcid:PMC6750137", "doi:10.1128/cmr.00011-19")


@pytest.mark.parametrize(
    ("text", "authors", "names"),
    [
        (  # Scopus
            '\ufeff"Authors","Author full names","Title","Year","Source title","Art. No.","PubMed ID","DOI"\n'
            '"Wilson L.N.","Wilson, Lauren N. (58975547800); Doe, J.","T",2024,"J","28","38580657","10.1000/x"\n',
            ("Wilson, Lauren N.", "Doe, J."),
            ("pmid:38580657", "doi:10.1000/x"),
        ),
        (  # Rayyan
            "key,title,year,journal,pages,authors,abstract,notes,doi\n"
            'rayyan-1,T,2024,J,28,"Wilson, L.N. and Doe, Jane",A,,x\n',
            ("Wilson, L.N.", "Doe, Jane"),
            (),
        ),
        (  # Covidence
            "Title,Authors,Abstract,Published Year,Published Month,Journal,Volume,Issue,Pages,Accession Number,DOI,Ref,"
            "Covidence #,Study,Notes,Tags\n"
            'T,"Wilson, Lauren; Doe, J.",A,2024,May,J,5,2,28,,10.1000/x,,#12,Wilson 2024,,Included\n',
            ("Wilson, Lauren", "Doe, J."),
            ("doi:10.1000/x",),
        ),
        (  # ASReview 2
            "title,authors,year,journal,pages,abstract,doi,asreview_label,asreview_time,asreview_note\n"
            'T,"Wilson, Lauren;Doe, J.",2024,J,28,A,https://doi.org/10.1000/x,1,1717000000.5,\n',
            ("Wilson, Lauren", "Doe, J."),
            ("doi:10.1000/x",),
        ),
        (  # ASReview 1
            "record_id,authors,title,year,journal,pages,abstract,doi,included,asreview_ranking,exported_notes_1\n"
            '7,"Wilson, Lauren;Doe, J.",T,2024,J,28,A,10.1000/x,1,1,\n',
            ("Wilson, Lauren", "Doe, J."),
            ("doi:10.1000/x",),
        ),
        (  # Embase
            '"SEARCH QUERY","x"\n------\n\nTitle,Author Names,Publication Year,Source title,First Page,Medline PMID\n'
            'T,"Yang Z., Jiang B.",2024,J,28,38773066\n',
            ("Yang, Z.", "Jiang, B."),
            ("pmid:38773066",),
        ),
        (  # Cochrane
            "CENTRAL ID,Author(s),Title,Source,Year,Pages,PubMed ID\n"
            'CN-1,"Kim, JS; Roe, J",T,J,2024,28,"PUBMED 38407106,EMBASE 6"\n',
            ("Kim, JS", "Roe, J"),
            ("pmid:38407106",),
        ),
        (  # Europe PMC
            "SOURCE,PMID,DOI,TITLE,AUTHOR_STRING,JOURNAL_TITLE,PAGE_INFO,PUB_YEAR\n"
            'MED,309,10.1000/x,T,"Griffin DK, O\'Connor RE.",J,28,2024\n',
            ("Griffin, DK", "O'Connor, RE"),
            ("pmid:309", "doi:10.1000/x"),
        ),
        (  # ASReview's own form for screening
            "record_id,title,abstract,authors,doi,year,secondary_title,start_page,label_included\n"
            '1,T,A,"Wilson, Lauren;Doe, J.",10.1000/x,2024,J,28,1\n',
            ("Wilson, Lauren", "Doe, J."),
            ("doi:10.1000/x",),
        ),
        (  # PubMed
            "PMID,Title,Authors,Citation,Journal/Book,Publication Year,Pages\n"
            '309,T,"Griffin DK, O\'Connor RE.",c,J,2024,28\n',
            ("Griffin, DK", "O'Connor, RE"),
            ("pmid:309",),
        ),
    ],
)
def test_tables_of_tools_are_lists(text: str, authors: tuple[str, ...], names: tuple[str, ...]) -> None:
    (work,) = read("export.csv", text, TABLE)
    assert (work.title, work.year, work.venue, work.pages) == ("T", 2024, "J", "28")
    assert (work.authors, work.identifiers.names) == (authors, names)


def test_a_remark_of_scopus_is_no_author() -> None:
    heads = "Authors,Title,Year,Source title,Page start,DOI,EID"
    text = f"{heads}\n[No author name available],T,2024,J,28,10.1000/x,2-s2.0-1\n"
    (work,) = read("scopus.csv", text, TABLE)
    assert (work.title, work.authors) == ("T", ())


def test_other_tables_are_documents() -> None:
    assert find_list_type("evidence.csv", b"Author,Year,Title,Journal,Sample size,Effect\nDoe,2020,T,J,12,0.4\n") == ""


def test_a_date_of_bibtex_without_a_year_is_of_the_year_beside_it() -> None:
    (work,) = read("a.bib", "@article{a, title={T}, date={Mar 3}, year={2015}}", BIBTEX)  # JabRef, from EndNote
    assert (work.year, work.published) == (2015, "2015-03-03")


def test_a_chapter_of_web_of_science_has_the_type_of_its_book() -> None:
    lines = "TY  - BOOK\nAU  - Bouwer, LM\nTI  - On floods\nT2  - {}\nPY  - 2007\nAN  - WOS:0001\nER  -\n"
    (chapter,) = read("a.ris", lines.format("Flood risk"), RIS)
    (book,) = read("a.ris", lines.format("ON FLOODS"), RIS)
    assert (chapter.venue, book.venue) == ("Flood risk", "")


def test_initials_behind_a_name_are_no_part_of_it() -> None:
    text = "TY  - JOUR\nTI  - T\nAU  - Quintanilla-Dieck L.\nAU  - Penn E.B.\nAU  - Oil Group\nER  -\n"  # Embase
    (work,) = read("a.ris", text, RIS)
    assert work.authors == ("Quintanilla-Dieck, L.", "Penn, E.B.", "Oil Group")


def test_titles_that_say_so_are_retracted() -> None:
    item = {"type": "article-journal", "title": "RETRACTED \u2013 Ladders"}
    (work,) = read("a.json", json.dumps([item]), CSL)
    assert work.flags == ("retracted",)


def test_a_note_that_an_export_wrote_is_its_standing_and_no_note_of_a_reader() -> None:
    told = "RETRACTED: It was retracted: J Foo 2020."
    (entry,) = parse_list(RIS, f"TY  - JOUR\nTI  - A\nN1  - {told}\nER  - \n".encode())
    assert (parse_work(entry).flags, find_notes(json.loads(entry.item))) == (("retracted",), "")
    (entry,) = parse_list(RIS, b"TY  - JOUR\nTI  - A\nN1  - Retracted? ask Jane\nER  - \n")
    assert (parse_work(entry).flags, find_notes(json.loads(entry.item))) == ((), "Retracted? ask Jane")


def test_tagged_lists_of_endnote_are_read() -> None:
    text = (
        "\ufeff%0 Journal Article\r\n%T Ladders and stairs\r\n%A Doe, Jane Q\r\n%A Roe, Ann\r\n%J Journal of Steps\r\n"
        "%D 2019\r\n%8 May 7\r\n%V 3\r\n%N 2\r\n%P 10-20\r\n%@ 1234-5678\r\n%R 10.1000/Steps.1\r\n"
        "%U https://example.org/steps\r\n%X We climbed.\r\n\r\nThen we fell: 20\r\n% of us.\r\n%M 31234567\r\n"
        "%W Ovid MEDLINE\r\n\r\n%A 李明\r\n%0 Book Section\r\n%T 梯子\r\n%B Handbook of Steps\r\n%E Poe, Guy\r\n"
        "%D 2020\r\n"
    )
    article, chapter = read("export.enw", text, ENDNOTE)
    assert article.title == "Ladders and stairs"
    assert (article.venue, article.published, article.volume, article.pages) == (
        "Journal of Steps",
        "2019-05-07",
        "3",
        "10-20",
    )
    assert article.authors == ("Doe, Jane Q", "Roe, Ann")
    assert {"doi:10.1000/steps.1", "pmid:31234567"} <= set(article.identifiers.names)
    assert (chapter.title, chapter.venue) == ("梯子", "Handbook of Steps")
    assert chapter.year == 2020
    assert find_list_type("export.txt", text.encode()) == ENDNOTE


def test_tables_of_openalex_are_lists() -> None:
    text = (
        "id,doi,display_name,publication_year,publication_date,language,type,authorships.author.display_name,"
        "primary_location.source.display_name,biblio.volume,biblio.first_page,biblio.last_page,ids.pmid\n"
        "https://openalex.org/W1,https://doi.org/10.1000/a,Ladders,2019,2019-05-07,en,article,Jane Q Doe|Wei LI,"
        "Journal of Steps,3,10,20,https://pubmed.ncbi.nlm.nih.gov/31234567\n"
    )
    (work,) = read("works.csv", text, TABLE)
    assert work.authors == ("Jane Q Doe", "Wei LI")
    assert (work.published, work.venue) == ("2019-05-07", "Journal of Steps")
    assert {"doi:10.1000/a", "pmid:31234567"} <= set(work.identifiers.names)


def test_authors_with_the_same_initials_are_two_and_a_group_is_one_more() -> None:
    assert read_ris("AU  - Li, J\nAU  - Wang, X\nAU  - Li, J\nA1  - Wang, X\nA1  - IEEE").authors == (
        "Li, J",
        "Wang, X",
        "Li, J",
        "IEEE",
    )


def test_a_doi_keeps_the_bracket_that_it_opens() -> None:
    assert read_ris("DO  - 10.1130/2009.2460(12)").identifiers.doi == "10.1130/2009.2460(12)"
    assert read_ris("M3  - doi:10.1000/a.1)").identifiers.doi == "10.1000/a.1"
