"""A plot is XML of a few harmless elements, whatever its studies are called and however far their intervals reach."""

from xml.etree import ElementTree

import pytest

from elcano.subjects.analysis.analysis import Pool
from elcano.subjects.analysis.statistics.forest import MOST_DRAWN, render_forest_plot
from tests.unit.subjects.analysis.trials import COUNTS, counts, eight, estimate, of

HARMLESS = {"svg", "title", "desc", "text", "line", "polygon"}


def drawn(pool: Pool) -> ElementTree.Element:
    root = ElementTree.fromstring(render_forest_plot(pool))
    assert {one.tag.rpartition("}")[2] for one in root.iter()} <= HARMLESS
    names = {name for one in root.iter() for name in one.attrib}
    assert not {name for name in names if name.startswith("on") or name in ("style", "href", "class")}
    return root


def texts(root: ElementTree.Element) -> list[str]:
    return [one.text or "" for one in root.iter() if one.tag.endswith("text")]


def test_every_study_and_both_estimates_are_drawn() -> None:
    (pool,) = of(eight()[0]).pools
    root = drawn(pool)
    said = texts(root)
    assert root.get("role") == "img"
    assert "Forest plot" in (root[0].text or "")
    assert all(f"Trial {at}" in said for at in range(8))
    assert {"Fixed effect", "Random effects"} <= set(said)
    assert render_forest_plot(pool) == render_forest_plot(pool)


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "]]>&\"'", "\x00\x08\ud800", "名" * 300, "", " "])
def test_names_of_strangers_are_texts(name: str) -> None:
    (pool,) = of(eight()[0]).pools
    rows = tuple(row.model_copy(update={"study": name}) for row in pool.studies)
    drawn(pool.model_copy(update={"studies": rows, "outcome": name, "first": name, "unit": name}))


def test_what_reaches_far_stays_on_the_drawing() -> None:
    wide = [
        estimate("a", "odds_ratio", 1.5, 0.00001, 90000.5),
        estimate("b", "odds_ratio", 1.2, 1.1, 1.3),
        estimate("c", "odds_ratio", 0.9, 0.8, 1.01),
    ]
    (pool,) = of(wide).pools
    for one in drawn(pool).iter():
        for name in ("x", "x1", "x2"):
            assert 0 <= float(one.get(name, 0)) <= 760
        for corner in one.get("points", "").split():
            assert 0 <= float(corner.split(",")[0]) <= 760


def test_of_many_studies_the_heaviest_are_drawn_and_the_others_counted() -> None:
    (pool,) = of([counts(str(at), *COUNTS[at % 8]) for at in range(300)]).pools
    assert f"and {300 - MOST_DRAWN} further studies" in texts(drawn(pool))


def test_studies_that_all_say_the_same_are_drawn() -> None:
    (pool,) = of([counts(name, 20, 100, 20, 100) for name in "ab"]).pools
    drawn(pool)
