"""A run that chooses its mode and has none to choose is told so once, by the field that it is about."""

import pytest

from elcano.graphs.mode_choice import list_parts
from elcano.graphs.state.budget import Limits
from elcano.service.runs.mode_checks import find_barred_modes, find_no_mode_faults
from elcano.settings.settings import Settings

SHOP = Settings.model_validate({"databases": {"shop": "sqlite:///shop.db"}, "collections": {}})


@pytest.mark.of_plugins("data")
def test_auto_over_databases_alone_under_the_chain_is_one_fault_of_the_mode() -> None:
    limits = Limits()
    closed = find_barred_modes(limits, ("shop",), SHOP, "chain")
    assert closed.keys() == list_parts().keys()
    (fault,) = find_no_mode_faults(limits, closed)
    assert fault.field == "mode"
    assert fault.message.startswith("no mode can be chosen here: ")
    for why in set(closed.values()):
        assert fault.message.count(why) == 1
    assert all(mode in fault.message for mode in list_parts())


def test_a_budget_that_is_too_small_for_every_mode_is_a_fault_of_the_budget() -> None:
    limits = Limits(tokens=1_000)
    closed = find_barred_modes(limits, ("packages",), Settings(), "graph")
    assert closed.keys() == list_parts().keys()
    faults = find_no_mode_faults(limits, closed)
    assert faults
    assert {fault.field for fault in faults} == {"budget"}


def test_a_mode_that_is_left_is_no_fault() -> None:
    limits = Limits()
    assert find_no_mode_faults(limits, find_barred_modes(limits, ("packages",), Settings(), "graph")) == []
