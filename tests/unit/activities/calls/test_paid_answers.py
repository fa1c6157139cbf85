"""What was paid for is written once the store is back, or the attempt fails after its time."""

import pytest

from elcano.activities.calls import paid_answers
from elcano.activities.calls.paid_answers import write_paid
from elcano.graphs.errors import StoreUnavailable


class Place:
    """A store that is away for so many writes."""

    def __init__(self, away: int, error: Exception) -> None:
        self.away = away
        self.error = error
        self.tries = 0

    async def write(self) -> str:
        self.tries += 1
        if self.tries <= self.away:
            raise self.error
        return "written"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paid_answers, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(paid_answers, "LONGEST_PAUSE", 0.001)


async def test_an_answer_waits_for_a_store_that_is_away() -> None:
    place = Place(5, StoreUnavailable("s3://bucket cannot be used"))
    assert (await write_paid(place.write), place.tries) == ("written", 6)


async def test_it_does_not_wait_longer_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paid_answers, "PATIENCE_SECONDS", 0.0)
    place = Place(5, StoreUnavailable("s3://bucket cannot be used"))
    with pytest.raises(StoreUnavailable):
        await write_paid(place.write)
    assert place.tries == 1


async def test_another_error_is_raised_at_once() -> None:
    place = Place(5, ValueError("it does not fit"))
    with pytest.raises(ValueError, match="does not fit"):
        await write_paid(place.write)
    assert place.tries == 1
