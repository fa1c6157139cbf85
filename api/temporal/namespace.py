"""A namespace that is ready for runs: waited for as long as it takes, and given the search attributes that it lacks."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, ListSearchAttributesRequest
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from elcano.graphs.labels import SEARCH_ATTRIBUTES
from elcano.settings.settings import Settings
from elcano.storage.payloads import connect_config

_log = logging.getLogger("worker")

_TYPES: Final = {
    "Keyword": IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
    "Int": IndexedValueType.INDEXED_VALUE_TYPE_INT,
    "Double": IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
}
"""Types of search attributes, as the server's operator service names them."""
_CLOSED_TO_US = (RPCStatusCode.PERMISSION_DENIED, RPCStatusCode.UNIMPLEMENTED)
"""Errors of a server whose operator service is not for this client, or does not exist; waiting fixes neither."""
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 15.0
"""Seconds between two attempts to reach the server: doubled from the first to the longest."""


async def connect_when_ready(settings: Settings) -> Client:
    """A client whose namespace is ready for runs, however long the server takes to appear."""
    config = connect_config(settings)
    pause = FIRST_PAUSE
    while True:
        try:
            client = await Client.connect(**config)
            await ensure_search_attributes(client)
        except (RuntimeError, RPCError) as error:  # RuntimeError is how the SDK says that it cannot connect
            _log.warning("Temporal at %s is not ready, next try in %g s: %s", config["target_host"], pause, error)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        else:
            return client


async def ensure_search_attributes(client: Client) -> None:
    """Registers the search attributes that the namespace lacks.

    A server that does not let this client look or register is said once what somebody has to do by hand, and that is
    all: everything else works with attributes that are there already.

    Raises:
        RPCError: the server cannot answer now, or the namespace does not exist (yet).
    """
    operator = client.operator_service
    missing = list(SEARCH_ATTRIBUTES)
    try:
        known = await operator.list_search_attributes(ListSearchAttributesRequest(namespace=client.namespace))
        missing = [name for name in SEARCH_ATTRIBUTES if name not in known.custom_attributes]
        if not missing:
            return
        types = {name: _TYPES[SEARCH_ATTRIBUTES[name]] for name in missing}
        await operator.add_search_attributes(
            AddSearchAttributesRequest(namespace=client.namespace, search_attributes=types)
        )
    except RPCError as error:
        if error.status in _CLOSED_TO_US:
            _log.warning("%s", by_hand(client.namespace, missing, error))
            return
        if error.status != RPCStatusCode.ALREADY_EXISTS:  # another worker was quicker
            raise
    _log.info("registered the search attributes %s", ", ".join(missing))


def by_hand(namespace: str, missing: Sequence[str], error: RPCError) -> str:
    """Explain which search attributes an administrator has to register, with a command to copy."""
    names = " ".join(f"--name {name} --type {SEARCH_ATTRIBUTES[name]}" for name in missing)
    return (
        f"the search attributes of namespace {namespace!r} cannot be looked after from here "
        f"({error.status.name}: {error.message}). The worker continues; runs cannot start unless a person who may "
        f"registers them: temporal operator search-attribute create --namespace {namespace} {names} "
        "(on Temporal Cloud: in the namespace's settings, with these types)"
    )
