"""An internet for tests: names that lead where a test says, public addresses where a service on loopback answers.

What was connected to is kept, so that a test can tell that nothing else was.
"""

import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpcore

from elcano.activities.sources.http.address_pinning import Network, by_tcp

PUBLIC = "93.184.216.34"
"""An address that anybody may ask."""


@dataclass
class Internet:
    """Every name leads to `PUBLIC`, unless `names` says otherwise; every address to the service at `url`.

    A name's answers are given in turn, the last one for good: so does a name that is bound anew.
    """

    url: str
    names: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict)
    dead: Sequence[str] = ()
    """Addresses where nobody answers."""
    resolved: list[str] = field(default_factory=list)
    connected: list[tuple[str, int]] = field(default_factory=list)

    @property
    def network(self) -> Network:
        """For a `Fetcher`."""
        return Network(self._resolve, self._connect)

    async def _resolve(self, host: str, port: int) -> Sequence[str]:
        answers = self.names.get(host, [[PUBLIC]])
        answer = answers[min(self.resolved.count(host), len(answers) - 1)]
        self.resolved.append(host)
        if not answer:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return answer

    async def _connect(self, address: str, port: int) -> httpcore.AsyncNetworkStream:
        self.connected.append((address, port))
        if address in self.dead:
            raise httpcore.ConnectTimeout
        return await by_tcp("127.0.0.1", urlsplit(self.url).port or 80)
