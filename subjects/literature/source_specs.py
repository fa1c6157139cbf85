"""The literature services: what each holds, how it is queried, and how often."""

from typing import Final

from elcano.graphs.catalogue.sources import SourceLimits, SourcePolicy, SourceSpec

_PACKAGE: Final = "elcano.subjects.literature"

SOURCES: Final = (
    SourceSpec(
        name="pubmed",
        kind="articles",
        description="Abstracts of biomedical and health literature, with retractions and corrections noted.",
        syntax='Plain words, or PubMed\'s own: `"phrase"`, `AND`, `OR`, `NOT`, fields as `asthma[mesh]`, '
        "`2020:2024[dp]`, `systematic[sb]`, `randomized controlled trial[pt]`.",
        texts="abstracts",
        dated=True,
        languages=("en",),
        filters=("years", "publication type", "language"),
        key="NCBI_API_KEY",
        # NCBI allows 3 requests a second, 10 with a key (KA-05317, KA-05318). A search makes 2, or 3 if nothing
        # has all its words; with 2 to 3 a second there is room for what comes at once.
        limits=SourceLimits(per_second=0.9, per_second_with_key=3.0, side_by_side=2),
        policy=SourcePolicy(seconds=100),
        by_default=False,
        opened_by=f"{_PACKAGE}.pubmed:PubMed",
    ),
    SourceSpec(
        name="europe-pmc",
        kind="articles",
        description="Life-science articles and preprints, with passages from the full text of open-access ones.",
        syntax='Plain words, or its own: `"phrase"`, `AND`, `OR`, `NOT`, `TITLE:malaria`, `AUTH:"Smith J"`, '
        "`PUB_YEAR:[2020 TO 2024]`, `SRC:PPR` for preprints, `OPEN_ACCESS:Y`.",
        dated=True,
        filters=("years", "preprints", "open access"),
        # No limit is published; one request at a time is safe. A search makes 1 to 5, one after the other.
        limits=SourceLimits(per_second=0.5, side_by_side=1),
        policy=SourcePolicy(seconds=160),
        by_default=False,
        opened_by=f"{_PACKAGE}.europe_pmc:EuropePMC",
    ),
    SourceSpec(
        name="clinical-trials",
        kind="trials",
        description="Registered clinical studies: design, eligibility, outcomes, status, and results where posted.",
        syntax='Plain words, or the registry\'s own: `"phrase"`, `AND`, `OR`, `NOT`, `AREA[Phase]PHASE3`, '
        "`AREA[OverallStatus]COMPLETED`; or the number of a study, as `NCT00763412`.",
        texts="records",
        dated=True,
        languages=("en",),
        filters=("phase", "status", "condition", "intervention"),
        # No limit is published; its robots.txt asks for a second between two requests (API Evangelist,
        # clinical-trials-gov rate limits, 2026-09-06). A search makes 1 request, or 2.
        limits=SourceLimits(per_second=0.5, side_by_side=1),
        policy=SourcePolicy(seconds=70),
        by_default=False,
        opened_by=f"{_PACKAGE}.clinical_trials.source:ClinicalTrials",
    ),
    SourceSpec(
        name="semantic-scholar",
        kind="articles",
        description="Abstracts of papers of all sciences, with how often each is cited.",
        texts="abstracts",
        dated=True,
        languages=("en",),
        key="SEMANTIC_SCHOLAR_API_KEY",
        # 1 request a second with a key; without one a pool that everybody shares and which may be empty at any time
        # (API Evangelist, Semantic Scholar rate limits, 2026-06). A search is one request.
        limits=SourceLimits(per_second=0.3, per_second_with_key=0.9, side_by_side=1, query_characters=300),
        policy=SourcePolicy(),
        by_default=False,
        opened_by=f"{_PACKAGE}.semantic_scholar:SemanticScholar",
    ),
    SourceSpec(
        name="openalex",
        kind="articles",
        description="Scholarly works of all fields with their abstracts, citations and retractions (OpenAlex).",
        syntax='Few plain words, all of which should be there; "..." for a phrase; AND, OR, NOT and brackets.',
        texts="abstracts",
        dated=True,
        key="OPENALEX_API_KEY",
        by_default=False,
        # 100 requests a second are allowed ("Authentication & Pricing", developers.openalex.org, November 2026);
        # what is scarce is the credit of a day, ten to a hundred searches without a key, a thousand with one.
        limits=SourceLimits(per_second=1, per_second_with_key=10),
        policy=SourcePolicy(seconds=70),
        opened_by=f"{_PACKAGE}.openalex:OpenAlex",
    ),
    SourceSpec(
        name="crossref",
        kind="articles",
        description="Works with a DOI as their publishers describe them, corrections and retractions included "
        "(Crossref); only those with an abstract are found.",
        syntax="Plain words, also of authors, titles, journals and years; no operators.",
        texts="abstracts",
        dated=True,
        by_default=False,
        # No figure is published: the limits of each pool are in headers, and there is one on requests at the
        # same time ("Access and authentication", crossref.org). So few, and one at a time.
        limits=SourceLimits(per_second=2, side_by_side=1),
        policy=SourcePolicy(),
        opened_by=f"{_PACKAGE}.crossref:Crossref",
    ),
    SourceSpec(
        name="arxiv",
        kind="preprints",
        description="Preprints in physics, mathematics, computer science, statistics, quantitative biology and "
        "economics, with their abstracts (arXiv).",
        syntax='Up to four plain words, all of which have to be there, and "..." for a phrase; or fields with '
        "AND, OR, ANDNOT, as in ti:transformer AND cat:cs.CL; or one arXiv id.",
        texts="abstracts",
        dated=True,
        filters=("author", "title", "category", "date"),
        by_default=False,
        # One request every three seconds over one connection ("Terms of Use for arXiv APIs", info.arxiv.org).
        limits=SourceLimits(per_second=0.33, side_by_side=1),
        policy=SourcePolicy(),
        opened_by=f"{_PACKAGE}.arxiv:Arxiv",
    ),
    SourceSpec(
        name="wikipedia",
        kind="encyclopedia",
        description="Articles of Wikipedia, for what is settled: terms, people, places, overviews.",
        syntax="Plain words; a language and a colon before them asks its edition, as in de: Wale, else the English "
        "one is asked.",
        dated=True,
        by_default=False,
        # No figure is published; requests shall come one after another ("API:Etiquette", mediawiki.org). A search
        # takes two to eight.
        limits=SourceLimits(per_second=0.5, side_by_side=1, query_characters=300),
        policy=SourcePolicy(seconds=120),
        opened_by=f"{_PACKAGE}.wikipedia:Wikipedia",
    ),
)
