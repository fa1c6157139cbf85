"""Accounts that share an identifier are one work, whoever tells of it, in whatever order, however often."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.activities.report.work_merge import Works, list_joining_names, merge_accounts, merge_works
from elcano.graphs.report.works import Flag, Identifiers, Provenance, Work
from elcano.graphs.trust import WorkKind
from elcano.storage.evidence import Evidence

DOIS = ("", "", "10.1000/a", "10.1000/b", "10.48550/arxiv.2101.00001")
WORKS = st.builds(
    Work,
    title=st.sampled_from(("", "Oil", "Oil and water")),
    authors=st.sampled_from(((), ("Curie, Marie",), ("Curie, M", "Bohr, N"))),
    year=st.sampled_from((None, 2020, 2021)),
    published=st.sampled_from(("", "2020", "2020-03", "2021-01-02", "soon", "2021-99-99-1")),
    venue=st.sampled_from(("", "Nature")),
    kind=st.sampled_from(("article", "preprint", "trial", "page", "other")),
    design=st.sampled_from(((), ("Review",), ("review", "Cohort"))),
    identifiers=st.builds(
        Identifiers,
        doi=st.sampled_from(DOIS),
        pmid=st.sampled_from(("", "", "1", "2")),
        pmcid=st.sampled_from(("", "", "PMC1")),
        arxiv=st.sampled_from(("", "", "2101.00001")),
        nct=st.sampled_from(("", "NCT00000001")),
        url=st.sampled_from(("", "https://example.org/")),
    ),
    flags=st.sampled_from(((), ("preprint",), ("retracted",), ("abstract_only", "no_results"))),
    notices=st.sampled_from(((), ("Retracted in 2022.",))),
    cited_by=st.sampled_from((None, 3, 5)),
    source=st.sampled_from(("pubmed", "crossref", "arxiv", "mine")),
    retrieved_at=st.sampled_from((0.0, 1.0, 2.0)),
)


def work(source: str = "pubmed", **told: object) -> Work:
    names = {name: told.pop(name) for name in tuple(told) if name in Identifiers.model_fields and name != "url"}
    return Work.model_validate({"source": source, **told, "identifiers": names})


@given(st.lists(WORKS, max_size=8), st.data())
def test_neither_order_nor_repetition_counts(works: list[Work], data: st.DataObject) -> None:
    once = merge_works(works)
    assert merge_works(data.draw(st.permutations(works))) == once
    assert merge_works([*works, *works]) == once
    assert merge_works([account for one in once for account in one.accounts]) == once


@given(st.lists(WORKS, max_size=6), st.lists(WORKS, max_size=6))
def test_what_is_put_together_first_does_not_count(some: list[Work], others: list[Work]) -> None:
    in_parts = [account for part in (some, others) for one in merge_works(part) for account in one.accounts]
    assert merge_works(in_parts) == merge_works([*some, *others])


@given(st.lists(WORKS, max_size=8))
def test_every_name_leads_to_one_work_and_no_grave_word_is_lost(works: list[Work]) -> None:
    found = merge_works(works)
    homes = [{name for account in one.accounts for name in list_joining_names(account)} for one in found]
    assert sum(map(len, homes)) == len(set().union(*homes))
    for account in works:
        (home,) = [one for one in found if any(account.model_copy(update={"retrieved_at": 0.0})
                   == kept.model_copy(update={"retrieved_at": 0.0}) for kept in one.accounts)]  # fmt: skip
        assert set(home.work.notices) >= set(account.notices)
        assert "retracted" in home.work.flags or "retracted" not in account.flags
        assert {one.source for one in home.described_by} >= {account.source}


def test_works_that_share_a_name_by_way_of_others_are_one() -> None:
    (one,) = merge_works(
        [
            work("pubmed", pmid="1", title="Oil", authors=("Curie, M",)),
            work("openalex", doi="10.1/x", pmcid="PMC7", cited_by=4, retrieved_at=5.0),
            work("europe-pmc", pmid="1", pmcid="PMC7", authors=("Curie, M", "Bohr, N"), retrieved_at=9.0),
        ]
    )
    assert one.work.identifiers == Identifiers(pmid="1", pmcid="PMC7", doi="10.1/x")
    assert (one.work.authors, one.work.cited_by, one.work.title) == (("Curie, M", "Bohr, N"), 4, "Oil")
    assert one.described_by == (
        Provenance(source="pubmed"),
        Provenance(source="europe-pmc", retrieved_at=9.0),
        Provenance(source="openalex", retrieved_at=5.0),
    )


def test_a_chain_of_a_thousand_names_is_one_work() -> None:
    chain = [
        Work(identifiers=Identifiers(pmid=str(number), doi=f"10.1/{number - 1}"), source="s") for number in range(1_000)
    ] + [Work(identifiers=Identifiers(pmid=str(number), doi=f"10.1/{number}"), source="t") for number in range(1_000)]
    (one,) = merge_works(chain)
    assert len(one.accounts) == 2_000


@pytest.mark.parametrize(
    "other",
    [
        work("crossref", title="Oil", year=2020, authors=("Curie, M",), doi="10.1/y"),
        work("crossref", title="Oil", year=2020, authors=("Curie, M",)),
        work("pubmed", title="Oil", pmid="2", nct="NCT00000001"),
        work("clinical-trials", title="Oil", kind="trial", nct="NCT00000001"),
    ],
)
def test_without_a_common_name_works_stay_apart(other: Work) -> None:
    one = work("pubmed", title="Oil", year=2020, authors=("Curie, M",), pmid="1", nct="NCT00000001")
    assert len(merge_works([one, other])) == 2


def test_two_records_of_a_trial_are_one_and_what_it_lacks_is_as_it_was_told_last() -> None:
    first = work("clinical-trials", kind="trial", nct="NCT00000001", flags=("no_results",), retrieved_at=1.0)
    later = work("clinical-trials", kind="trial", nct="NCT00000001", retrieved_at=2.0)
    (one,) = merge_works([later, first])
    assert one.work.flags == ()
    assert merge_accounts([first]).work.flags == ("no_results",)


BOOK = work("crossref", title="The Sea: A Handbook", kind="book", doi="10.1000/sea", year=2019)
CHAPTERS = [
    work("mine", title=title, kind="book", venue="The sea", doi="10.1000/sea", year=2019) for title in ("Tides", "Salt")
]


def test_chapters_that_carry_the_doi_of_their_book_are_works_of_their_own() -> None:
    found = merge_works([CHAPTERS[0], BOOK, CHAPTERS[1]])
    assert sorted((one.work.title, one.work.identifiers.doi) for one in found) == [
        ("Salt", ""), ("The Sea: A Handbook", "10.1000/sea"), ("Tides", ""),
    ]  # fmt: skip
    reviewed = CHAPTERS[0].model_copy(update={"venue": "The Shore"})
    assert len(merge_works([reviewed, BOOK])) == 1, "what names another book has the DOI as its own"


def test_passages_of_chapters_have_references_of_their_own() -> None:
    passages = [passage("doi:10.1000/sea", f"What stands in {one.title}.", one) for one in (*CHAPTERS, BOOK)]
    works = Works(passages)
    assert len({works.key(one) for one in passages}) == 3
    found = [works.of(one) for one in passages]
    assert [one.work.title for one in found if one] == ["Tides", "Salt", "The Sea: A Handbook"]


PREPRINT = work(
    "arxiv",
    title="Oil, a draft",
    kind="preprint",
    flags=("preprint",),
    venue="arXiv",
    year=2019,
    published="2019-12-01",
    arxiv="1912.00001",
    authors=("Curie, M", "Bohr, N", "Dirac, P"),
)
ARTICLE = work(
    "crossref", title="Oil", kind="article", venue="Nature", volume="5", year=2020, published="2020-03", doi="10.1/x"
)


def test_a_preprint_and_its_article_stay_two_unless_a_name_joins_them() -> None:
    assert len(merge_works([PREPRINT, ARTICLE])) == 2
    bridge = work("semantic-scholar", arxiv="1912.00001", doi="10.1/x", kind="article", title="Oil")
    (one,) = merge_works([PREPRINT, bridge, ARTICLE])
    assert (one.work.title, one.work.venue, one.work.year, one.work.published) == ("Oil", "Nature", 2020, "2020-03")
    assert one.work.kind == "article"
    assert "preprint" not in one.work.flags
    assert one.preprints == ("arxiv:1912.00001",)
    assert one.work.authors == PREPRINT.authors


def test_the_doi_of_a_preprint_is_not_that_of_its_article() -> None:
    server = work("biorxiv", flags=("preprint",), doi="10.1101/2020.01.02.123456", pmid="1")
    (one,) = merge_works([server, work("pubmed", kind="article", pmid="1", title="Oil")])
    assert (one.work.identifiers.doi, one.preprints) == ("", ("doi:10.1101/2020.01.02.123456",))
    assert one.also == ("doi:10.1101/2020.01.02.123456",)


@pytest.mark.parametrize(
    ("told", "kind", "flags"),
    [
        ({"arxiv": "1912.00001", "kind": "article"}, "preprint", ("preprint",)),
        ({"arxiv": "1912.00001", "kind": "article", "doi": "10.48550/arxiv.1912.00001"}, "preprint", ("preprint",)),
        ({"arxiv": "1912.00001", "kind": "other", "doi": "10.1/x"}, "preprint", ("preprint",)),
        ({"arxiv": "1912.00001", "kind": "article", "doi": "10.1/x"}, "article", ()),
    ],
)
def test_a_preprint_is_one_until_somebody_tells_of_a_publication(
    told: dict[str, str], kind: WorkKind, flags: tuple[Flag, ...]
) -> None:
    (one,) = merge_works([PREPRINT, work("semantic-scholar", **told)])
    assert one.work.flags == flags
    assert ("preprint" if one.work.flags else one.work.kind) == kind


@pytest.mark.parametrize("flag", ["retracted", "concern", "corrected", "withdrawn"])
def test_what_one_source_told_stays_though_others_are_silent(flag: Flag) -> None:
    silent = [work(source, kind="article", doi="10.1/x", retrieved_at=9.0) for source in ("pubmed", "crossref")]
    (one,) = merge_works([*silent, work("openalex", doi="10.1/x", flags=(flag,), notices=("Why: fraud.",))])
    assert (one.work.flags, one.work.notices) == ((flag,), ("Why: fraud.",))


def test_dates_are_of_the_year_that_is_believed() -> None:
    told = [
        work("pubmed", pmid="1", year=2024, published="2024-01"),
        work("crossref", pmid="1", year=2023, published="2023-12-20"),
        work("openalex", pmid="1", published="2024-01-15"),
        work("mine", pmid="1", published="2024-01-15-or-so"),
    ]
    (one,) = merge_works(told)
    assert (one.work.year, one.work.published) == (2024, "2024-01-15")
    assert merge_accounts(told[2:]).work.year == 2024
    assert merge_accounts([work(published="0000-01-01")]).work.year is None


def test_no_account_is_no_work() -> None:
    assert merge_works([]) == ()
    with pytest.raises(ValueError, match="account"):
        merge_accounts([])


def passage(document: str, text: str, told: Work | None = None) -> Evidence:
    content_hash = sha256(text.encode()).hexdigest()
    return Evidence(
        id=f"x:{document}@{content_hash[:8]}:0-{len(text)}",
        source="x",
        document=document,
        content_hash=content_hash,
        title=told.title if told else "A page",
        locator=document,
        text=text,
        start=0,
        end=len(text),
        retrieved_at=1.0,
        work=told,
    )


def test_a_text_that_four_sites_carry_is_one_and_papers_are_told_apart_by_their_names() -> None:
    text = "The council said on Monday that the bridge will stay closed. " * 5
    hosts = [passage(f"https://{host}.example/a", text, page(f"https://{host}.example/a")) for host in "dbca"]
    other = passage("https://e.example/a", "Something else. " * 20, page("https://e.example/a"))
    keys = [Works([*hosts, other]).key(one) for one in [*hosts, other]]
    assert keys == [("url:https://a.example/a", "")] * 4 + [("url:https://e.example/a", "")]
    papers = [
        passage(f"doi:10.1/{name}", text, Work(title="One", identifiers=Identifiers(doi=f"10.1/{name}")))
        for name in "ab"
    ]
    assert len({Works(papers).key(one) for one in papers}) == 2


def page(url: str) -> Work:
    return Work(title="The bridge", kind="page", identifiers=Identifiers(url=url))


def test_a_list_that_was_uploaded_twice_is_one_set_of_works() -> None:
    told = [Work(title="Introduction", authors=(f"Doe, {name}",), year=2020) for name in "AB"]
    passages = [passage(f"{name}.bib/{one.authors[0]}", one.title, one) for name in ("old", "new") for one in told]
    works = Works(passages)
    assert [works.key(one)[0] for one in passages] == ["new.bib/Doe, A", "new.bib/Doe, B"] * 2
