"""Where the Temporal UI shows runs, for links from here to there."""

from typing import Final
from urllib.parse import quote

from temporalio.envconfig import ClientConfig

from elcano.settings import Settings

_DEFAULT: Final = "default"
"""The namespace of a client that is told none."""


def workflows_page(settings: Settings) -> str:
    """The address of the UI's list of workflows, to which `/` and a run's id add that of the run; empty: unknown."""
    if not settings.temporal_ui_url:
        return ""
    namespace = ClientConfig.load_client_connect_config().get("namespace") or _DEFAULT
    return f"{settings.temporal_ui_url.rstrip('/')}/namespaces/{quote(namespace, safe='')}/workflows"
