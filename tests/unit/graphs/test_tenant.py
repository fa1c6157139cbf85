"""A tenant's name, and the ids that are made of it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from elcano.graphs.tenants import DEFAULT_TENANT, RUN_ID, Tenant, is_tenant, run_id

ALLOWED = "abcdefghijklmnopqrstuvwxyz0123456789-"
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
TENANT = TypeAdapter(Tenant)

near = st.text(ALLOWED, max_size=43) | st.text(max_size=43) | st.text(ALLOWED + "A_.ſ٣\n", max_size=43)
tenants = st.text(ALLOWED, min_size=1, max_size=40).filter(lambda text: text.strip("-") == text)
ulids = st.text(CROCKFORD, min_size=26, max_size=26)


@given(near)
def test_a_name_is_what_the_rule_says_and_nothing_else(text: str) -> None:
    fits = 1 <= len(text) <= 40 and set(text) <= set(ALLOWED) and text.strip("-") == text
    assert is_tenant(text) == fits
    try:
        TENANT.validate_python(text)
    except ValidationError:
        assert not fits
    else:
        assert fits


@given(tenants, ulids, tenants, ulids)
def test_two_ids_are_the_same_only_if_tenant_and_number_are(one: str, first: str, other: str, second: str) -> None:
    assert (run_id(one, first) == run_id(other, second)) == ((one, first) == (other, second))
    branch = f"{run_id(one, first)}.0004.loop-1"
    assert not branch.startswith(run_id(other, second)) or (one, first) == (other, second)


@given(tenants, ulids, ulids)
def test_ids_of_a_tenant_are_in_the_order_of_their_numbers(tenant: str, first: str, second: str) -> None:
    assert (run_id(tenant, first) < run_id(tenant, second)) == (first < second)
    assert re.fullmatch(RUN_ID, run_id(tenant, first))


@pytest.mark.parametrize("name", [DEFAULT_TENANT, "a", "a-b", "4", "x" * 40])
def test_these_are_names(name: str) -> None:
    assert is_tenant(name)


@pytest.mark.parametrize("name", ["", "-", "a-", "-a", "A", "a b", "a.b", "a/b", "a\n", "ä", "x" * 41, "%61"])
def test_these_are_none(name: str) -> None:
    assert not is_tenant(name)
