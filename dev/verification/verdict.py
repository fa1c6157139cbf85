"""The faults found in a certificate, and the verdict that follows from them."""

from dataclasses import dataclass

from elcano.dev.verification.checks import ALL
from elcano.dev.verification.contents import Contents, parse_contents
from elcano.storage.certificates.certificate_format import Fault, Malformed, parse_certificate


@dataclass(frozen=True)
class Verdict:
    """What came of looking through a certificate."""

    faults: tuple[Fault, ...]
    held: Contents | None
    """What it holds, if it can be read."""

    @property
    def holds(self) -> bool:
        """The report follows from the recorded evidence."""
        return not self.faults


def verify(data: bytes) -> Verdict:
    """Computes again all that can be, and compares."""
    try:
        parts, wrong = parse_certificate(data)
        held = parse_contents(parts)
    except Malformed as error:
        return Verdict((error.fault,), None)
    faults = [*wrong]
    for check in ALL:
        try:
            faults += check(held)
        except Exception as error:  # what somebody wrote into a file must not end the look at the rest of it
            faults.append(Fault("file", f"{check.__name__} cannot be done: {type(error).__name__}: {error}"))
    return Verdict(tuple(dict.fromkeys(faults)), held)
