"""The operator's file of quotas: what it may say, and that a wrong one is never taken for none."""

from pathlib import Path

import pytest

from elcano.operations.quotas.limits import QuotaFile, Quotas, QuotasUnreadable, parse_quotas

FILE = """
[every_tenant]
runs_at_once = 10
tokens_a_day = 2_000_000

[tenants.acme]
tokens_a_day = "unlimited"
usd_a_month = 12.5

[every_key]
runs_a_day = 50

[keys.7q2mz0v1k3xc]
runs_a_day = 0
"""


def test_a_tenants_own_limits_go_before_those_of_all() -> None:
    quotas = parse_quotas(FILE.encode(), is_json=False)
    assert quotas.of_tenant("acme").list_set("runs", "tokens", "usd") == [
        ("runs_at_once", 10),
        ("usd_a_month", 12_500_000),
    ]
    assert quotas.of_tenant("other").list_set("runs", "tokens") == [("runs_at_once", 10), ("tokens_a_day", 2_000_000)]
    assert quotas.of_key("7q2mz0v1k3xc").list_set("runs") == [("runs_a_day", 0)]
    assert quotas.of_key("another").list_set("runs") == [("runs_a_day", 50)]
    assert quotas.of_key("").list_set("runs") == [], "runs without a key have no limits of one"
    assert quotas.limits_spending("acme")
    assert not Quotas.model_validate({"every_tenant": {"runs_a_day": 1}}).limits_spending("acme")
    assert Quotas.model_validate({"every_key": {"tokens_a_day": 1}}).limits_spending("acme")


def test_the_file_may_be_json() -> None:
    assert parse_quotas(b'{"tenants": {"acme": {"runs_a_day": 3}}}', is_json=True).of_tenant("acme").runs_a_day == 3
    null = parse_quotas(b'{"every_tenant": {"runs_a_day": 3}, "tenants": {"acme": {"runs_a_day": null}}}', is_json=True)
    assert null.of_tenant("acme").runs_a_day == 3, "null sets nothing, and lifts nothing"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("[every_tenant]\nruns_a_day = -1", "every_tenant.runs_a_day = -1 is neither a number from 0 on nor"),
        ("[every_tenant]\nruns_a_day = 1.5", "every_tenant.runs_a_day = 1.5 is neither"),
        ("[every_tenant]\nruns_a_day = true", "every_tenant.runs_a_day = True is neither"),
        ('[tenants.acme]\nusd_a_day = "much"', "tenants.acme.usd_a_day = 'much' is neither"),
        ("[every_tenant]\nusd_a_day = inf", "every_tenant.usd_a_day = inf is neither"),
        ("[tenants.acme]\ntokens_per_day = 5", "tokens_per_day is no name here; there are: runs_at_once, runs_a_day"),
        (
            "[tenant.acme]\ntokens_a_day = 5",
            "tenant is no name here; there are: every_tenant, tenants",
        ),
        ("[tenants.Acme]\ntokens_a_day = 5", "tenants.Acme"),
        ("[tenants", "Expected"),
    ],
)
def test_what_is_wrong_is_named(content: str, says: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        parse_quotas(content.encode(), is_json=False)
    assert says in str(caught.value)


def test_a_changed_file_counts_and_a_broken_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "quotas.toml"
    file = QuotaFile(path)
    with pytest.raises(QuotasUnreadable, match="No such file"):
        file.read()
    path.write_text("[every_tenant]\nruns_a_day = 1\n")
    assert file.read().of_tenant("acme").runs_a_day == 1
    path.write_text("[every_tenant]\nruns_a_day = 22\n")
    assert file.read().of_tenant("acme").runs_a_day == 22
    path.write_text("[every_tenant]\nruns_a_day = -3\n")
    with pytest.raises(QuotasUnreadable, match="runs_a_day = -3"):
        file.read()
    with pytest.raises(QuotasUnreadable, match="runs_a_day = -3"):
        file.read()
