"""Answers as NCBI writes them, made up."""

import json

from tests.loopback import Reply


def ids(*pmids: str, **more: object) -> Reply:
    return Reply(json.dumps({"header": {}, "esearchresult": {"count": str(len(pmids)), "idlist": pmids, **more}}))


def article(
    pmid: str, inner: str = "", title: str = "Whale song.", abstract: str = "Whales sing.", after: str = ""
) -> str:
    text = f"<Abstract><AbstractText>{abstract}</AbstractText></Abstract>" if abstract else ""
    return (
        f"<PubmedArticle><MedlineCitation><PMID>{pmid}</PMID><Article><ArticleTitle>{title}</ArticleTitle>{text}"
        f"<Language>eng</Language>{inner}</Article>{after}</MedlineCitation></PubmedArticle>"
    )


def articles(*inner: str) -> Reply:
    return Reply(f"<?xml version='1.0'?><PubmedArticleSet>{''.join(inner)}</PubmedArticleSet>")


def service(search: Reply, fetch: Reply) -> "dict[str, Reply]":
    return {"/esearch.fcgi": search, "/efetch.fcgi": fetch}
