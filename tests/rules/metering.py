"""Meters the model without a key like one of a provider, so that whole runs use up budgets, quotas and ledgers."""

from elcano.settings import Settings
from elcano.subjects.quoting.model import ExtractiveModel


def meter_requests(program: str, settings: Settings, /) -> None:
    """Have its requests count in this process: a starter of the plugin, which workers call."""
    if program == "worker":
        ExtractiveModel.is_metered = True
