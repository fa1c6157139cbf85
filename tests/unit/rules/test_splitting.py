"""Which way a question to databases goes, by rules: what is split, what is a forecast, what is neither."""

import pytest

from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.subjects.data.query_models import Splitting
from tests.rules.splitting import split


def way(question: str) -> Splitting:
    return split(TaskEnvelope(kind="splitter", question=question, given={"tables": {"sales": ["day", "revenue"]}}))


@pytest.mark.parametrize(
    ("question", "paths"),
    [
        ("Compare revenue 2023 and 2024", ["total revenue in 2023?", "total revenue in 2024?"]),
        ("Total revenue in 2023 vs 2024?", ["Total revenue in 2023?", "Total revenue in 2024?"]),
        (
            "Compare the average price in 2022, 2023 and 2024.",
            ["average price in 2022?", "average price in 2023?", "average price in 2024?"],
        ),
        ("Compare the number of sales in north and south", ["number of sales in north?", "number of sales in south?"]),
        ("What is the total revenue in Köln versus Zürich?", ["total revenue in Köln?", "total revenue in Zürich?"]),
        ("compare total revenue between 2023 and 2024", ["total revenue in 2023?", "total revenue in 2024?"]),
    ],
)
def test_a_comparison_goes_in_paths(question: str, paths: list[str]) -> None:
    said = way(question)
    assert [one.question for one in said.paths] == paths
    assert said.forecast is None


@pytest.mark.parametrize(
    "question",
    [
        "revenue in 2023 and 2024",
        "revenue by region",
        "Which customers have no orders?",
        "total revenue in 2023 versus 2023",
        "Compare 2023",
        "",
        "???",
        "compare " * 200,
        "x" * 5_000,
        "Compare total revenue in 2011, 2012, 2013, 2014, 2015, 2016, 2017, 2018, 2019 and 2020",
    ],
)
def test_everything_else_goes_as_one_query(question: str) -> None:
    assert way(question).paths == ()


def test_a_total_that_the_question_did_not_name_is_said() -> None:
    (told,) = way("Compare revenue 2023 and 2024").choices
    assert "total of “revenue”" in told
    assert way("Compare total revenue 2023 and 2024").choices == ()


@pytest.mark.parametrize(
    ("question", "horizon", "until", "history"),
    [
        ("Forecast total revenue per month for the next 6 months", 6, "", "total revenue by month"),
        ("What will monthly revenue be for the next 3 months?", 3, "", "total revenue by month"),
        ("Predict the number of sales by month until 2026", None, "2026", "number of sales by month"),
    ],
)
def test_a_forecast_asks_the_database_for_the_series_alone(
    question: str, horizon: int | None, until: str, history: str
) -> None:
    said = way(question)
    assert said.forecast is not None
    assert (said.forecast.horizon, said.forecast.until) == (horizon, until)
    assert said.history_question == history
    assert said.paths == ()


def test_a_saved_question_goes_as_one_query() -> None:
    question = "Compare revenue 2023 and 2024"
    said = split(TaskEnvelope(kind="splitter", question=question, given={"saved": True}))
    assert (said.paths, said.forecast, said.reason) == ((), None, "The question is a saved one.")
