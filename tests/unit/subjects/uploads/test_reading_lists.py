"""Reading lists become works, entry by entry; what cannot be taken is told."""

import json

import pytest

from elcano.activities.passages.document import FileSkipped
from elcano.graphs.report.works import Identifiers, Work
from elcano.subjects.documents.csl_works import ONLY_TITLE, read_csl_work
from elcano.subjects.uploads.reading_lists import BIBTEX, CSL, RIS, Entry, find_list_type, parse_list

BIB = r"""@string{jn = {Nature Climate}}
@article{smith2020, title={The {DNA} of {\'E}lan: \textit{E. coli}}, year=2020, month=mar # "~1", volume=3,
  journal="The " # jn,
  author={M{\"u}ller, Hans and {World Health Organization} and van Beethoven, Ludwig and others}, pages={10--19},
  doi={10.1000/ABC\_d}, abstract={We found $p<0.05$ in 50\% of cases.}, note={PMID: 12345
I doubt this.}}
@article{smith2020, title={Another}, year={in press}}
@inproceedings{talk, crossref={proc}, title={A talk}}
@proceedings{proc, title={Proceedings of X}, year={1999}}
@book{nameless, author={X}}
@article{broken, title={never closed
@misc{web, title={A page}, url={https://example.org/a?utm_source=x&b=1}, date={2021-05-06}}
@misc{pre/print, title={Preprint}, eprint={2001.01234}, archiveprefix={arXiv}, title={Twice}}
"""
RIS_TEXT = """TY  - JOUR
TI  - Ladders
AU  - Doe, Jane
PY  - 2019///
DO  - https://doi.org/10.1234/XYZ
AB  - An abstract
goes on.
ER  -\x20
stray
TY  - BOOK
AU  - Nobody
ER  -\x20
TY  - BOOK
TI  - Not closed
"""


def works(entries: list[Entry]) -> dict[str, Work]:
    return {
        one.name: Work.model_validate_json(read_csl_work(one.item.encode()).work) for one in entries if not one.fault
    }


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_bibtex_is_read_with_its_strings_accents_parents_and_faults(encoding: str) -> None:
    entries = list(parse_list(BIBTEX, BIB.encode(encoding)))
    found = works(entries)
    assert found["smith2020"] == Work(
        title="The DNA of Élan: E. coli",
        authors=("Müller, Hans", "World Health Organization", "van Beethoven, Ludwig"),
        year=2020,
        published="2020-03",
        venue="The Nature Climate",
        volume="3",
        pages="10-19",
        kind="article",
        identifiers=Identifiers(pmid="12345", doi="10.1000/abc_d"),
        flags=("abstract_only",),
    )
    assert (found["smith2020-2"].title, found["smith2020-2"].notices) == ("Another", (ONLY_TITLE,))
    assert (found["talk"].venue, found["talk"].year) == ("Proceedings of X", 1999)
    assert found["web"].identifiers.url == "https://example.org/a?b=1"
    assert found["pre_print"].identifiers.document == "arxiv:2001.01234"
    assert {one.name: one.fault for one in entries if one.fault} == {
        "nameless": "it has no title",
        "broken": "line 11: Unexpected block start: `@misc`. Was still looking for field-value closing `}`",
    }
    assert entries[0].notes == "# Notes on The DNA of Élan: E. coli\n\nI doubt this.\n"


GOOD = "@misc{good, title={Good}}\n"


@pytest.mark.parametrize(
    ("broken", "name", "told"),
    [
        ("@article{x, title={A}\n  year={2020}\n}", "x", "line 2: a comma is missing behind the value of `title`"),
        ("@article{x, year=2020\n title={A}}", "x", "line 2: a comma is missing behind the value of `year`"),
        ('@article{x, title="A" "B"}', "x", "line 2: a comma is missing behind the value of `title`"),
        ("@article{x, title={A}},\n year={2020}\n}", "x", "line 2: a brace too many ends it before its field `year`"),
        ("@article{x title={A}}", "x", "line 2: Expected comma after entry key, but found ="),
        ("@article{x, title={A},, year=2020}", "x", "line 2: Expected a `=` after entry key, but found `,`."),
        ('@article{x, title="A}\n', "x", "line 2: Unexpected block start: `@misc`. Was still looking for"),
        ("\n@in-proceedings{x, title={A}}", "x", "line 3 begins no entry of BibTeX: '@in-proceedings{x'"),
        ("@ article{x, title={A}}", "x", "line 2 begins no entry of BibTeX: '@ article{x'"),
        ("@article x, title={A}}", "x", "line 2 begins no entry of BibTeX: '@article x'"),
        ("article{x,\n title={A}}", "x", "line 2 begins no entry of BibTeX: 'article{x'"),
    ],
)
def test_a_broken_entry_of_bibtex_is_told_with_its_key_its_line_and_what_is_wrong(
    broken: str, name: str, told: str
) -> None:
    entries = list(parse_list(BIBTEX, f"{GOOD}{broken}\n{GOOD}".encode()))
    assert works(entries).keys() == {"good", "good-2"}
    ((found, fault),) = [(one.name, one.fault) for one in entries if one.fault]
    assert (found, fault[: len(told)]) == (name, told)


def test_what_is_no_entry_of_bibtex_is_no_fault() -> None:
    text = """% Encoding: UTF-8, kept by me@example.org
This file = mine.
@comment{jabref-meta: x}
@comment without braces
@string{a = "one"} @string{a = {two}}
@misc{c, title = "C# in {"}depth{"}" # { and } # a, url = http://example.org/?a=b, year = 2020 }}
}
"""
    entries = list(parse_list(BIBTEX, text.encode()))
    assert [one.fault for one in entries] == [""]
    assert works(entries)["c"].title == 'C# in "depth" and two'


def test_lines_of_ris_outside_of_an_entry_are_told_once_with_their_title() -> None:
    text = "TY - JOUR\nTI - A\nER -\nTI - B\nAU - Doe, J\nPY - 2020\nER -\nTY - JOUR\nTI - C\nER -\n"
    entries = list(parse_list(RIS, text.encode()))
    assert [(one.name, one.fault) for one in entries] == [
        *(("A", ""), ("2020_B", "line 4 belongs to no entry: 'TI - B'"), ("C", "")),
    ]


def test_ris_is_read_with_lines_that_go_on_and_entries_that_are_not_closed() -> None:
    entries = list(parse_list(RIS, RIS_TEXT.encode("latin-1")))
    found = works(entries)
    assert found["2019_Ladders"].identifiers.doi == "10.1234/xyz"
    assert read_csl_work(entries[0].item.encode()).blocks[0].text == "An abstract\ngoes on."
    assert found["Not_closed"].kind == "book"
    assert [one.fault for one in entries if one.fault] == ["it has no title"]


def test_csl_json_is_read_whatever_is_in_its_fields() -> None:
    item = {
        **{"id": "http://zotero.org/users/1/items/ABCD", "type": "article-journal", "volume": True, "DOI": ["10.1/x"]},
        **{
            "title": "A <i>B</i> &amp; C <script>",
            "author": [{"literal": "WHO"}, 3, {"family": {}}],
            "URL": "javascript:x",
        },
        **{
            "abstract": "<p>a<b and c>d</p><p>Two</p>",
            "issued": {"date-parts": [["1850", 13]]},
            "note": "arXiv: 2001.01234",
        },
    }
    entries = list(parse_list(CSL, json.dumps([item, 5, {"title": None}]).encode()))
    assert works(entries)["ABCD"] == Work(
        title="A B & C <script>",
        authors=("WHO",),
        year=1850,
        published="1850",
        kind="article",
        identifiers=Identifiers(arxiv="2001.01234"),
        flags=("abstract_only",),
    )
    assert [one.text for one in read_csl_work(entries[0].item.encode()).blocks] == ["a<b and c>d", "Two"]
    assert [(one.name, one.fault) for one in entries[1:]] == [
        ("entry-2", "it is no object"),
        ("entry-3", "it has no title"),
    ]
    for text in (b"[]", b"{}", b"[" * 100_000, b"[{]"):
        with pytest.raises(FileSkipped):
            list(parse_list(CSL, text))


@pytest.mark.parametrize(
    ("path", "data", "found"),
    [
        ("refs.BIB", b"", BIBTEX),
        ("refs.txt", b"\xef\xbb\xbf\n@article{x,\n title={y}}", BIBTEX),
        ("notes.md", b"@someone {said}, that", ""),
        ("export", b"TY  - JOUR\nTI  - x", RIS),
        ("items.json", b' [ {"id": 1, "type": "book"}]', CSL),
        ("table.json", b'[{"a": 1}]', ""),
        ("a.txt", b"TYPE  - x", ""),
    ],
)
def test_lists_are_known_by_their_names_or_first_bytes(path: str, data: bytes, found: str) -> None:
    assert find_list_type(path, data) == found


_DOUBLED = '@string{s0="xxxxxxxxxx"}\n' + "".join(f"@string{{s{at + 1}=s{at} # s{at}}}\n" for at in range(40))
_INHERITED = f'@book{{b, title="{"y" * 500_000}", year=2020}}\n' + "".join(
    f'@inbook{{a{at}, title="T", crossref="b"}}\n' for at in range(50)
)


@pytest.mark.parametrize("text", [_DOUBLED, _INHERITED], ids=["@string", "crossref"])
def test_bibtex_that_grows_many_times_as_long_is_refused(text: str) -> None:
    with pytest.raises(FileSkipped, match="times as long"):
        list(parse_list(BIBTEX, text.encode()))
