"""What the first page makes of the API's answers: groups of sources, and how long runs take."""

from typing import Any

from elcano.doors.page.ask_page import group_sources, measure_usual_seconds


def source(name: str, kind: str, *, ready: bool = True) -> dict[str, Any]:
    return {"name": name, "kind": kind, "ready": ready}


def test_sources_are_grouped_as_a_reader_knows_them_and_each_group_says_what_is_on() -> None:
    found = [
        source("web", "pages", ready=False),
        source("log", "documents"),
        source("sales", "database"),
        source("almanac", "tides"),
        *(source(name, "articles") for name in ("pubmed", "openalex", "crossref")),
        source("arxiv", "preprints"),
    ]
    groups = {group["name"]: group for group in group_sources(found, ["log", "web"])}
    assert list(groups) == ["Yours", "Literature", "Web"]
    assert [one["name"] for one in groups["Yours"]["sources"]] == ["log", "sales", "almanac"]
    assert [(group["on"], group["off"]) for group in groups.values()] == [
        ("log", "off (log, sales, almanac)"),
        ("", "off (4 sources)"),
        ("", "not set up"),
    ]
    assert group_sources(found[1:2], []) == [
        groups["Yours"] | {"sources": [found[1] | {"on": False}], "on": "", "ready": ["log"], "off": "off (log)"}
    ]


def test_the_usual_time_of_a_mode_is_the_median_of_its_completed_runs() -> None:
    def run(mode: str, seconds: float, status: str = "completed") -> dict[str, Any]:
        return {"mode": mode, "status": status, "budget": {"used": {"seconds": seconds}}}

    runs = [run("deep", 60), run("deep", 90), run("deep", 600), run("deep", 1, "failed"), run("auto", 4)]
    times = measure_usual_seconds([*runs, {"mode": "auto", "status": "completed", "budget": None}])
    assert (times["deep"], times["auto"], times["simple"]) == (90, 4, 0)
