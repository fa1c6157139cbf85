"""Checks of `elcano doctor` for storage outside the data folder. Plugins add checks of their own."""

import asyncio
from collections.abc import Iterable

from sqlalchemy.exc import DBAPIError

from elcano.graphs.errors import ElcanoError
from elcano.redaction import without_secrets
from elcano.settings import Settings, get_variable_name
from elcano.settings.plugins import Finding
from elcano.storage.store import open_configured


def check_store(chosen: Settings) -> Iterable[Finding]:
    """Report whether storage outside the data folder can be reached and written."""
    if not chosen.store_url and not chosen.objects_url:
        return
    places = " and ".join(without_secrets(url) for url in (chosen.store_url, chosen.objects_url) if url)
    try:
        asyncio.run(_write_probe(chosen))
    except (ElcanoError, DBAPIError, OSError) as error:
        text = f"the store at {places} cannot be used: {without_secrets(str(error))}"
        yield Finding(
            "fault",
            text,
            f"correct {get_variable_name('store_url')} or {get_variable_name('objects_url')}, or start its server",
        )
        return
    yield Finding("good", f"the store at {places} can be written")


async def _write_probe(chosen: Settings) -> None:
    async with open_configured(chosen) as opened:
        await opened.probe.write()
