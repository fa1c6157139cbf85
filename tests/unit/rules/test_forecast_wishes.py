"""Which questions ask for a forecast, and how far; and those that only look as if they did."""

import pytest

from elcano.subjects.data.forecast_models import ForecastWish, Span
from tests.rules.forecast_wishes import wish


@pytest.mark.parametrize(
    ("question", "horizon", "span"),
    [
        ("Forecast sales for the next 6 months", 6, "months"),
        ("What will revenue be next year?", 1, "years"),
        ("How many orders will we have in the coming three weeks?", 3, "weeks"),
        ("Give me a 12-month forecast of revenue", 12, "months"),
        ("Predict visits 48 hours ahead from the last 3 months", 48, "hours"),
        ("Projected demand for the next quarter", 1, "quarters"),
        ("How will sales develop over the next two years?", 2, "years"),
        ("Prognose der Umsätze für die nächsten sechs Monate", 6, "months"),
        ("Wie viele Bestellungen werden wir in den kommenden 2 Wochen haben?", 2, "weeks"),
        ("Wie entwickelt sich der Umsatz im nächsten Jahr?", 1, "years"),
        ("Umsatzvorhersage für zwölf Monate", 12, "months"),
        ("Sage die Verkäufe für 10 Tage voraus", 10, "days"),
        ("Pronostica las ventas de los próximos 6 meses", 6, "months"),
        ("¿Cuánto venderemos en los próximos tres trimestres?", 3, "quarters"),
        ("¿Cómo evolucionará la facturación el año que viene?", 1, "years"),
        ("Previsión de pedidos a 14 días", 14, "days"),
        ("Prévision des ventes pour les six prochains mois", 6, "months"),
        ("Combien de commandes aurons-nous dans les 2 semaines à venir ?", 2, "weeks"),
        ("Quel sera le chiffre d'affaires l'année prochaine ?", 1, "years"),
        ("Prévoir les ventes sur 3 trimestres", 3, "quarters"),
    ],
)
def test_how_far_is_read(question: str, horizon: int, span: Span) -> None:
    assert wish(question) == ForecastWish(horizon=horizon, span=span)
    assert wish(question.upper()) == ForecastWish(horizon=horizon, span=span)


@pytest.mark.parametrize(
    ("question", "until"),
    [
        ("Forecast revenue until 2027", "2027"),
        ("Forecast revenue from 2019 to 2027", "2027"),
        ("Forecast revenue through the end of 2027", "2027"),
        ("Predicted sales for June 2027", "2027-06"),
        ("Forecast sales up to 2027-06-30", "2027-06-30"),
        ("Forecast sales until Q2 2027", "2027-Q2"),
        ("Prognose bis Ende 2027", "2027"),
        ("Umsatzprognose bis März 2027", "2027-03"),
        ("Pronóstico hasta diciembre de 2027", "2027-12"),
        ("Prévisions jusqu'en 2027", "2027"),
        ("Prévisions d\u2019ici à 2030", "2030"),
        ("Forecast the number of orders", ""),
        ("Extrapoliere die Zahl der Kunden", ""),
    ],
)
def test_until_when_is_read(question: str, until: str) -> None:
    assert wish(question) == ForecastWish(until=until)


@pytest.mark.parametrize(
    "question",
    [
        "",
        "How many orders were there in the last 6 months?",
        "Compare revenue 2023 and 2024",
        "Which projects end in 2027?",
        "Which appointments are in the next 6 months?",
        "What was the average price per month since 2019?",
        "Wie viele Bestellungen wurden in den letzten 3 Monaten aufgegeben?",
        "Welche Projekte laufen bis 2027?",
        "¿Cuántos pedidos hubo en los últimos tres meses?",
        "¿Qué proyectos terminan en 2027?",
        "Combien de commandes au cours des 3 derniers mois ?",
        "Quels projets se terminent en 2027 ?",
        "次の6か月",
        "next 6 months " * 10_000,
    ],
)
def test_what_is_no_wish_for_a_forecast(question: str) -> None:
    assert wish(question) is None


def test_a_word_that_is_a_name_in_the_database_asks_for_nothing() -> None:
    question = "Which region has the highest forecast?"
    assert wish(question) is not None
    assert wish(question, names=("region", "sales_Forecast")) is None
    assert wish("Predict the highest forecast", names=("forecast",)) == ForecastWish()


def test_past_times_are_no_horizon() -> None:
    assert wish("Forecast sales from the last 24 months") == ForecastWish()
    assert wish("Forecast sales; there were 5 two years ago") == ForecastWish()
    assert wish("Forecast the next 9999999 months") == ForecastWish()
